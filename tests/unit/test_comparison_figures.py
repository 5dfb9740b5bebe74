"""Figures of comparisons: what is joined, what is filled, what is left out."""

import dataclasses
import math

import fake_comparisons
import fake_summary
import pytest
from made_products import draw

from sentflow.compare.rows import PairRow
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.rows import write_rows
from sentflow.report.comparison_texts import NOTHING
from sentflow.report.costs import pareto
from sentflow.report.families.probing import differences, rankings, wins
from sentflow.report.families.probing.differences import MAX_PAIRS, shown_pairs
from sentflow.report.figure import canvas

SCORES = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])


@pytest.fixture(autouse=True)
def project_style():
    with canvas.style():
        yield


def texts_of(figure):
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [text.get_text() for text in axes.texts]
        found += [axes.get_title(loc="left")]
        found += [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    return [" ".join(text.split()) for text in found if text]


def ranked(*joined):
    """Encoders a, b, c, … in the order of their ranks, with what each is joined to."""
    row = fake_comparisons.ranking_rows(SCORES)[0]
    return [
        dataclasses.replace(row, model=name, average_rank=float(place), not_separated=others)
        for place, (name, others) in enumerate(zip("abcdefgh", joined, strict=False), 1)
    ]


# --- score against cost ---


def test_front_holds_what_nobody_beats_in_both():
    # the second costs more than the first and scores less; the fourth costs more than the third for the same score
    assert pareto.front([1, 2, 3, 4], [0.5, 0.4, 0.6, 0.6]) == [0, 2]


def test_front_takes_the_better_of_two_that_cost_the_same():
    assert pareto.front([1, 1], [0.2, 0.3]) == [1]


def test_ticks_of_many_decades_are_powers_of_ten():
    assert pareto.log_ticks(0.9, 35) == [1, 3, 10, 30]
    assert pareto.log_ticks(1, 1e6) == [10.0**power for power in range(7)]


def test_encoders_of_unknown_size_are_named_and_not_drawn():
    figure = pareto.draw_sizes(fake_comparisons.encoder_rows(SCORES))
    assert "no weights" in texts_of(figure)
    assert any("Not shown, of unknown size: TF-IDF" in text for text in texts_of(figure))
    assert not any(text.startswith("TF-IDF") for text in texts_of(figure))


def test_encoders_that_no_job_embedded_are_named():
    texts = texts_of(pareto.draw_speed(fake_comparisons.encoder_rows(SCORES)))
    assert any("fitted in every fold: TF-IDF" in text for text in texts)


def test_incomplete_encoders_have_no_point():
    rows = [
        dataclasses.replace(row, mean=math.nan) if row.model == "minilm-l6" else row
        for row in fake_comparisons.encoder_rows(SCORES)
    ]
    for figure in (pareto.draw_sizes(rows), pareto.draw_speed(rows)):
        texts = texts_of(figure)
        assert any("a task is missing: all-MiniLM-L6-v2" in text.replace("\n", " ") for text in texts)
        assert "all-MiniLM-L6-v2" not in texts


def test_nothing_known_is_said():
    rows = [
        dataclasses.replace(row, parameters=math.nan, texts=math.nan)
        for row in fake_comparisons.encoder_rows(SCORES)
    ]
    for figure in (pareto.draw_sizes(rows), pareto.draw_speed(rows)):
        assert "no data" in texts_of(figure)


# --- ranks ---


def test_bars_join_the_longest_runs_in_which_no_two_are_separated():
    # a–b–c are joined to each other, c–d too, but a and b are separated from d
    rows = ranked("b c", "a c", "a b d", "c")
    assert rankings.joined_runs(rows) == [(0, 2), (2, 3)]


def test_a_chain_of_pairs_is_no_group():
    # a–b and b–c are joined, a and c are separated: one bar over all three would deny that
    assert rankings.joined_runs(ranked("b", "a c", "b")) == [(0, 1), (1, 2)]


def test_nobody_is_joined_where_all_are_separated():
    assert rankings.joined_runs(ranked("", "", "")) == []


def test_bars_that_share_an_encoder_lie_on_different_lines():
    assert rankings.bar_levels([(0, 1), (1, 2), (3, 4)]) == [0, 1, 0]


def test_incomplete_encoders_are_listed_and_not_ranked():
    rows = [row for row in SCORES if (row.task, row.model) != ("T1A-sample", "tfidf")]
    ranking = fake_comparisons.ranking_rows(rows)
    for figure in (rankings.draw_critical_difference(ranking), rankings.draw_ranks(ranking)):
        texts = texts_of(figure)
        assert any("Not ranked, because a task is missing: TF-IDF" in text for text in texts)
        assert not any(text.startswith("TF-IDF") for text in texts)


def test_critical_difference_is_drawn_only_where_it_fits():
    ranking = fake_comparisons.ranking_rows(SCORES)
    assert any(text.startswith("CD 1.11") for text in texts_of(rankings.draw_critical_difference(ranking)))
    for width in (math.nan, 9.0):
        rows = [dataclasses.replace(row, nemenyi_cd=width) for row in ranking]
        assert not any(text.startswith("CD 9") for text in texts_of(rankings.draw_critical_difference(rows)))


def test_single_encoder_gives_figures_that_say_so():
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6"])
    ranking = fake_comparisons.ranking_rows(rows)
    figures = [
        rankings.draw_critical_difference(ranking),
        rankings.draw_ranks(ranking),
        wins.draw([]),
        differences.draw([]),
    ]
    for figure in figures:
        assert any(NOTHING in text for text in texts_of(figure))


# --- wins ---


def test_wins_of_a_row_are_losses_of_its_column():
    row = fake_comparisons.match_rows(SCORES)[0]
    texts = texts_of(wins.draw([dataclasses.replace(row, wins=3, ties=1, losses=2)]))
    assert "3 – 1 – 2" in texts
    assert "2 – 1 – 3" in texts


def test_encoders_stand_in_the_order_of_the_selection():
    models = ["random", "minilm-l6", "tfidf"]
    rows = fake_comparisons.match_rows(fake_summary.score_rows(tasks=["T1A"], models=models))
    labels = [label.get_text() for label in wins.draw(rows).axes[0].get_yticklabels()]
    assert labels == [fake_summary.MODELS[model][0] for model in models]


# --- differences ---


def test_filled_only_if_significant():
    pair = fake_comparisons.pair_rows(SCORES)[0]
    for p_holm, filled in ((pair.alpha, True), (0.5, False), (math.nan, False)):
        axes = differences.draw([dataclasses.replace(pair, p_holm=p_holm)]).axes[0]
        marker = axes.lines[-1]
        assert (marker.get_markerfacecolor() != "white") is filled


def test_degenerate_pair_has_no_interval():
    pair = fake_comparisons.pair_rows(SCORES)[0]
    n_lines = len(differences.draw([pair]).axes[0].lines)
    assert len(differences.draw([dataclasses.replace(pair, degenerate=True)]).axes[0].lines) == n_lines - 1


def test_differences_are_turned_to_the_first_encoder():
    pair = dataclasses.replace(
        fake_comparisons.pair_rows(SCORES)[0], model_a="a", model_b="b", difference=0.1, low=0.05, high=0.15
    )
    assert differences.oriented([pair], "a")[0][1:] == (0.1, 0.05, 0.15)
    assert differences.oriented([pair], "b")[0][1:] == (-0.1, -0.15, -0.05)


def test_of_many_pairs_those_of_the_best_encoder_are_shown():
    one = fake_summary.one_row()
    rows = [
        dataclasses.replace(one, model=f"m{index}", model_title=f"M {index}", mean=0.3 + 0.01 * (index == 3))
        for index in range(9)
    ]
    pairs = fake_comparisons.pair_rows(rows)  # 9 · 8 / 2 = 36
    shown = shown_pairs(pairs)
    assert {first for first, _ in shown} == {"m3"}
    assert len(shown) == 8
    assert any("28 further pairs" in text for text in texts_of(differences.draw(pairs)))
    assert len(shown_pairs(pairs[:MAX_PAIRS])) == MAX_PAIRS


# --- where rows come from ---


def test_missing_file_of_a_figure_is_named(tmp_path):
    write_rows(tmp_path / "scores.parquet", ScoreRow, SCORES)
    files = fake_comparisons.write_comparisons(tmp_path / "comparisons", SCORES)
    without = [file for file in files if file.stem != "across"]
    with pytest.raises(DataError, match="there is no file across among"):
        draw("wins", tmp_path / "scores.parquet", *without)


def test_figure_of_no_pairs_is_no_error(tmp_path):
    write_rows(tmp_path / "pairs.parquet", PairRow, [])
    assert any(NOTHING in text for text in texts_of(draw("differences", tmp_path / "pairs.parquet")))
