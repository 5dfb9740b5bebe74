"""Figures: what they show, that they are marked, and that equal data give equal bytes."""

import dataclasses
import math
from functools import cache

import fake_comparisons
import fake_summary
import matplotlib as mpl
import pytest
from made_products import FIGURES, FIGURES_OF_PAIRS, FIGURES_OF_RETRIEVAL, draw, recipe
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_hex

from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError, DataError
from sentflow.files.rows import write_rows
from sentflow.report.costs import bars as cost_bars
from sentflow.report.costs import trade_off
from sentflow.report.costs.rows import CostRow, EncoderRow
from sentflow.report.families.probing import (
    best_gaps,
    curves,
    differences,
    family_means,
    forest,
    heatmap,
    rankings,
    wins,
)
from sentflow.report.families.probing.rows import CurveRow
from sentflow.report.families.probing.score_table import scores_table
from sentflow.report.figure import canvas

TASKS = ["F1A", "F3", "T1A"]
# figures of retrieval and of trainings are drawn in other files
OF_SCORES = [
    name
    for name in FIGURES
    if name not in (*FIGURES_OF_PAIRS, *FIGURES_OF_RETRIEVAL) and not name.startswith("training-")
]


@pytest.fixture(autouse=True)
def project_style():
    with canvas.style():
        yield


def texts_of(figure):
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [text.get_text() for text in axes.texts]
        found += [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
        found += [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    return [text for text in found if text]


@cache
def figures_of(data_version):
    rows = fake_summary.score_rows(tasks=TASKS, data_version=data_version)
    return {
        "heatmap": heatmap.draw(rows),
        "forest": forest.draw(rows),
        "curves": curves.draw(fake_summary.curve_rows(rows)),
        "costs": cost_bars.draw(fake_summary.cost_rows(data_version)),
        "score-and-cost": trade_off.draw(fake_comparisons.trade_off_rows(rows)),
        "differences": differences.draw(differences.drawn_rows(rows, fake_comparisons.pair_rows(rows))),
        "differences-to-best": best_gaps.draw(best_gaps.gap_rows(rows, fake_comparisons.pair_rows(rows))),
        "family-means": family_means.draw(family_means.family_rows(rows)),
        "ranks": rankings.draw(fake_comparisons.ranking_rows(rows)),
        "wins": wins.draw(fake_comparisons.match_rows(rows)),
    }


@pytest.mark.parametrize("name", OF_SCORES)
def test_sample_data_are_stamped(name):
    assert "SAMPLE DATA" in texts_of(figures_of("sample data")[name])


@pytest.mark.parametrize("name", OF_SCORES)
def test_real_data_are_not_stamped(name):
    assert not any("SAMPLE" in text for text in texts_of(figures_of("official")[name]))


def test_figure_of_mixed_data_is_stamped_as_such():
    rows = fake_summary.score_rows(tasks=["T1A"]) + fake_summary.score_rows(
        tasks=["T1B"], data_version="OffComBR-2"
    )
    assert "PARTLY SAMPLE DATA" in texts_of(heatmap.draw(rows))


def test_heatmap_prints_every_score_and_marks_degenerate_ones():
    rows = fake_summary.score_rows(tasks=TASKS)
    texts = texts_of(heatmap.draw(rows))
    for row in rows:
        assert f"{row.mean:.3f}" + ("†" if row.degenerate else "") in texts


def test_heatmap_scale_is_the_same_for_all_experiments():
    figure = heatmap.draw(fake_summary.score_rows(tasks=TASKS))
    meshes = [item for axes in figure.axes for item in axes.collections if isinstance(item, QuadMesh)]
    assert {mesh.get_clim() for mesh in meshes} == {(0, 1)}


def test_heatmap_shows_a_dash_where_a_score_is_missing():
    rows = fake_summary.score_rows(tasks=TASKS)
    assert texts_of(heatmap.draw(rows[:-1])).count("—") == 1
    undefined = [*rows[:-1], dataclasses.replace(rows[-1], mean=math.nan)]
    assert texts_of(heatmap.draw(undefined)).count("—") == 1


def test_columns_of_the_heatmap_stand_in_the_order_of_the_table():
    rows = fake_summary.score_rows(tasks=TASKS, models=["random", "minilm-l6", "bag-of-words", "tfidf"])
    header = scores_table(rows, "Title").header
    names = [label.get_text().replace("\n", " ") for label in heatmap.draw(rows).axes[0].get_xticklabels()]
    assert tuple(names) == header[-4:]


def test_forest_axis_holds_negative_limits_of_scores_that_are_not_cut_at_zero():
    rows = [fake_summary.one_row(mean=0.02, generalisation_low=-0.31, generalisation_high=0.35, clips=False)]
    low, high = forest.draw(rows).axes[0].get_xlim()
    assert low < -0.31
    assert high > 0.35


def test_family_means_are_over_the_tasks_of_a_family_with_limits_for_these_tasks():
    one = {"family": "trust", "std": 0.1, "n_folds": 50, "folds": 5, "level": 0.95, "clips": False}
    rows = [fake_summary.one_row(task=f"T{n}", mean=mean, **one) for n, mean in enumerate((0.4, 0.6))]
    (row,) = family_means.family_rows(rows)
    # one source: the errors are added, so the error of the mean is that of a task, 0.1 · √(1/50 + 1/4)
    half_width = 2.009575 * 0.1 * math.sqrt(0.27)
    assert (row.n_tasks, row.mean) == (2, 0.5)
    assert (row.low, row.high) == pytest.approx((0.5 - half_width, 0.5 + half_width), abs=1e-6)
    # of two sources: independent, with the degrees of freedom of both
    apart = [rows[0], dataclasses.replace(rows[1], data_version="HateBR")]
    (other,) = family_means.family_rows(apart)
    assert other.high - other.low == pytest.approx(2 * 1.984467 * 0.1 * math.sqrt(0.27 / 2), abs=1e-6)


def test_a_family_that_lacks_a_task_has_no_mean_and_says_so():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])[:3]
    found = family_means.family_rows(rows)
    assert [math.isnan(row.mean) for row in found] == [False, True]
    said = " ".join(" ".join(texts_of(family_means.draw(found))).split())  # wherever its lines are broken
    assert "No mean, because a task is missing: TF-IDF" in said


def test_limits_of_family_means_are_cut_where_they_are_drawn_and_not_in_the_data():
    low = fake_summary.one_row(mean=0.01, std=0.3, clips=True)
    (row,) = family_means.family_rows([low])
    assert row.low < 0
    assert row.shown_low == 0


def test_titles_of_tasks_are_broken_into_lines_and_not_cut():
    title = "Questions and answers of government services"
    rows = [fake_summary.one_row(task=f"T{number}", task_title=title) for number in range(3)]
    assert title in [text.replace("\n", " ") for text in texts_of(forest.draw(rows))]


def test_forest_draws_no_interval_for_a_degenerate_row():
    def n_lines(row):
        return len(forest.draw([row]).axes[0].lines)

    # two intervals less: chance and the score are left
    assert n_lines(fake_summary.one_row()) == 4
    assert n_lines(fake_summary.one_row(degenerate=True)) == 2


def test_curves_name_their_protocol():
    row = dataclasses.replace(
        fake_summary.curve_rows([fake_summary.one_row()])[0], protocol="mine", switches="clip_metric off"
    )
    reading = curves.texts_of([row]).reading
    assert "Protocol mine. Differs from the published protocol: clip_metric off." in reading


def test_curve_is_faint_where_fewer_than_half_of_the_folds_are_left():
    row = fake_summary.curve_rows([fake_summary.one_row()])[0]
    points = [
        dataclasses.replace(row, epoch=epoch, n_folds=n_folds)
        for epoch, n_folds in enumerate([50, 26, 25, 24, 1], 1)
    ]
    # 25 of 50 is half, 24 is less
    assert curves.solid_until(points) == 3


def test_curve_that_loses_all_but_few_folds_at_once_is_drawn():
    row = fake_summary.curve_rows([fake_summary.one_row()])[0]
    lonely = [
        dataclasses.replace(row, quantity=name, n_folds=1, low=math.nan, high=math.nan)
        for name in (curves.TRAIN, curves.EVAL)
    ]
    assert curves.draw(lonely).axes


def test_a_loss_out_of_all_proportion_is_cut_and_its_height_is_written():
    rows = fake_summary.curve_rows(fake_summary.score_rows(tasks=TASKS))
    wild = rows[0].model
    scaled = [
        dataclasses.replace(row, mean=1e8 * row.mean, low=1e8 * row.low, high=1e8 * row.high)
        if (row.task, row.model) == (rows[0].task, wild)
        else row
        for row in rows
    ]
    highest = max(row.mean for row in scaled if (row.task, row.model) == (rows[0].task, wild))
    cut, plain = curves.draw(scaled), curves.draw(rows)
    assert cut.axes[0].get_ylim()[1] < 1e3
    assert f"↑ to {highest:.0e}" in texts_of(cut)
    assert cut.axes[1].get_ylim() == plain.axes[1].get_ylim()


def test_unmeasured_memory_is_a_dash_and_no_bar_of_length_zero():
    assert texts_of(cost_bars.draw(fake_summary.cost_rows())).count("—") == 2


def test_each_encoder_has_its_own_colour_and_controls_are_grey():
    looks = canvas.looks(fake_summary.score_rows())
    assert len({look.color for look in looks.values()}) == 4
    for model in ("bag-of-words", "random"):
        red, green, blue = mpl.colors.to_rgb(looks[model].color)
        assert red == green == blue


def test_many_encoders_still_have_distinct_colours():
    rows = [fake_summary.one_row(model=f"m{index}") for index in range(20)]
    assert len({to_hex(look.color) for look in canvas.looks(rows).values()}) == 20


def test_many_encoders_fit_the_page():
    rows = [
        fake_summary.one_row(model=f"m{index}", model_title=f"A rather long name of encoder {index}")
        for index in range(14)
    ]
    for figure in (heatmap.draw(rows[:10]), forest.draw(rows)):
        assert figure.get_figwidth() <= canvas.PAGE_WIDTH + 0.01


@pytest.mark.parametrize("suffix", [".pdf", ".png", ".svg"])
def test_equal_data_give_equal_bytes(tmp_path, suffix):
    for number in ("one", "two"):
        canvas.save(heatmap.draw(fake_summary.score_rows(tasks=["T1A"])), tmp_path / f"{number}{suffix}")
    first = (tmp_path / f"one{suffix}").read_bytes()
    assert first == (tmp_path / f"two{suffix}").read_bytes()
    assert b"Date" not in first


def test_unknown_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"ends in one of \.pdf, \.png, \.svg"):
        canvas.save(forest.draw([fake_summary.one_row()]), tmp_path / "forest.jpg")


def test_settings_of_the_user_do_not_change_figures():
    mpl.rcParams["font.size"] = 30
    with canvas.style():
        assert mpl.rcParams["font.size"] == 7


@pytest.mark.parametrize("name", OF_SCORES)
def test_every_figure_is_drawn_from_one_file(tmp_path, name):
    rows = fake_summary.score_rows(tasks=["T1A", "F3"])
    write_rows(tmp_path / "scores.parquet", ScoreRow, rows)
    write_rows(tmp_path / "curves.parquet", CurveRow, fake_summary.curve_rows(rows))
    write_rows(tmp_path / "costs.parquet", CostRow, fake_summary.cost_rows())
    write_rows(tmp_path / "encoders.parquet", EncoderRow, fake_comparisons.encoder_rows(rows))
    compared = fake_comparisons.write_comparisons(tmp_path / "comparisons", rows)
    sources = {"curves": ["curves", "scores"], "costs": ["costs"], "score-and-cost": ["encoders"]}
    files = [tmp_path / f"{stem}.parquet" for stem in sources.get(name, ["scores"])]
    if name == "differences":
        files = [tmp_path / "comparisons" / "pairs.parquet"]
    elif recipe(name).gather:
        files += compared
    data = tmp_path / "data.parquet"
    first, again = draw(name, *files, data=data), draw(name, data)
    assert first.axes
    assert texts_of(first) == texts_of(again)


def test_wrong_file_for_a_figure_is_explained(tmp_path):
    write_rows(tmp_path / "costs.parquet", CostRow, fake_summary.cost_rows())
    with pytest.raises(DataError, match="lacks the columns task, task_title"):
        draw("forest", tmp_path / "costs.parquet")


def test_unknown_figure_is_named_with_the_known_ones(tmp_path):
    with pytest.raises(
        ConfigError, match="'radar'. Write one of: heatmap, forest, family-means, ranks, wins"
    ):
        draw("radar", tmp_path / "scores.parquet")


@pytest.mark.parametrize("title", [r"x $\frac{$ y", "cost $5 and $6"])
def test_a_dollar_sign_in_a_name_is_a_dollar_sign(tmp_path, title):
    row = fake_summary.one_row(model_title=title, is_control=False)
    with canvas.style():
        figure = heatmap.draw([row])
    canvas.save(figure, tmp_path / "x.png")
