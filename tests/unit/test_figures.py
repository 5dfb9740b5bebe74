"""Figures: numbers that they draw, texts that have room, equal bytes for equal data, and one look per encoder."""

import dataclasses
import math
import warnings

import fake_comparisons
import fake_retrieval
import fake_similarity
import fake_summary
import fake_trainings
import pytest
from made_products import recipe

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.rows import write_rows
from sentflow.report.costs.figures import front, log_ticks
from sentflow.report.families.geometry.figures import association_rows, correlation_interval, plane_rows
from sentflow.report.families.probing.figures import bar_levels, joined_runs
from sentflow.report.families.probing.interval_figures import forest_rows, gap_rows
from sentflow.report.families.retrieval.rows import QuestionGapRow, RetrievalCostRow, StageRow
from sentflow.report.figure import canvas, inspection
from sentflow.report.inputs import Inputs
from sentflow.report.jobs import make_figures

SCORES = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
# Of one to forty encoders, with short and with long names
DRAWN = {"curves": fake_summary.curve_rows, "costs": lambda _: fake_summary.cost_rows()}
EXTENTS = [
    fake_summary.many_rows(*extent, long=extent[0] == 8)
    for extent in ((1, 1), (2, 2), (4, 2), (8, 18), (20, 3), (40, 2))
]
FIGURES = (
    *("heatmap", "ranks", "forest", "differences", "differences-to-best", "curves", "costs"),
    *("question-differences", "effectiveness-cost", "retrieval-stages"),
    *("training-curves", "training-path", "training-seeds"),
)
QUICK = ("heatmap", "ranks")


def family_rows(scores):
    return [row for row in forest_rows(scores) if row.n_tasks]


@pytest.fixture(autouse=True)
def project_style():
    with canvas.style():
        yield


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.nightly]) for name in FIGURES]
)
def test_texts_have_room(name):
    searched = fake_retrieval.results()
    held = {StageRow: searched.stages, QuestionGapRow: searched.gaps, RetrievalCostRow: searched.costs}
    held |= fake_trainings.rows_by_kind()
    for scores in EXTENTS[3:4] if name in QUICK else EXTENTS:
        held |= {ScoreRow: scores, Comparisons: fake_comparisons.comparisons(scores)}
        rows = DRAWN[name](scores) if name in DRAWN else recipe(name).rows(Inputs.holding(held))
        assert rows or len(scores) == 1  # no pair of one encoder
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert inspection.inspect(recipe(name).draw(rows)).problems == []


@pytest.mark.slow
def test_a_figure_is_drawn_again_from_its_own_data(tmp_path):
    summary = tmp_path / "results/summary/scores.parquet"
    summary.parent.mkdir(parents=True)
    write_rows(summary, ScoreRow, SCORES)
    compared = fake_comparisons.write_comparisons(tmp_path / "results/comparisons", SCORES)
    first = [tmp_path / f"ranks.{ending}" for ending in ("png", "md", "parquet")]
    make_figures(summary=[summary, *compared], products="ranks", output=first)
    assert first[1].read_text(encoding="utf-8").startswith("# Average ranks")
    again = tmp_path / "again" / "ranks.png"
    again.parent.mkdir()
    make_figures(summary=[first[2]], products="ranks", output=[again])
    assert first[0].read_bytes() == again.read_bytes()


def test_what_cannot_be_made_is_named_and_the_others_are_made(tmp_path):
    summary = tmp_path / "results/summary/scores.parquet"
    summary.parent.mkdir(parents=True)
    write_rows(summary, ScoreRow, SCORES)
    files = [tmp_path / "ranks.md", tmp_path / "heatmap.md"]
    with pytest.raises(DataError, match="figure ranks"):
        make_figures(summary=[summary], products="ranks heatmap", output=files)
    assert [file.exists() for file in files] == [False, True]


def test_family_means_are_over_the_tasks_of_a_family_with_limits_for_these_tasks():
    one = {"family": "trust", "std": 0.1, "n_folds": 50, "folds": 5, "level": 0.95, "clips": False}
    rows = [fake_summary.one_row(task=f"T{n}", mean=mean, **one) for n, mean in enumerate((0.4, 0.6))]
    (row,) = family_rows(rows)
    # one source: the errors are added, so the error of the mean is that of a task, 0.1 · √(1/50 + 1/4)
    half_width = 2.009575 * 0.1 * math.sqrt(0.27)
    assert (row.n_tasks, row.mean) == (2, 0.5)
    assert (row.generalisation_low, row.generalisation_high) == pytest.approx(
        (0.5 - half_width, 0.5 + half_width), abs=1e-6
    )
    # of two sources: independent, with the degrees of freedom of both
    apart = [rows[0], dataclasses.replace(rows[1], data_version="HateBR")]
    (other,) = family_rows(apart)
    assert other.generalisation_high - other.generalisation_low == pytest.approx(
        2 * 1.984467 * 0.1 * math.sqrt(0.27 / 2), abs=1e-6
    )
    # a family that lacks a task has no mean, and limits are cut where they are drawn alone
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])[:3]
    assert [math.isnan(row.mean) for row in family_rows(rows)] == [False, True]
    low = [fake_summary.one_row(task=task, mean=0.01, std=0.3, clips=True) for task in ("A", "B")]
    (row,) = family_rows(low)
    assert row.generalisation_low < 0 == row.shown_generalisation[0]


def test_front_holds_what_nobody_beats_in_both():
    # the second costs more than the first and scores less; the fourth costs more than the third for the same score
    assert front([1, 2, 3, 4], [0.5, 0.4, 0.6, 0.6]) == [0, 2]
    assert front([1, 1], [0.2, 0.3]) == [1]
    assert log_ticks(0.9, 35) == [1, 3, 10, 30]
    assert log_ticks(1, 1e6) == [10.0**power for power in range(7)]


def test_bars_join_the_longest_runs_in_which_no_two_are_separated():
    def runs(*joined):
        row = fake_comparisons.ranking_rows(SCORES)[0]
        return joined_runs(
            [
                dataclasses.replace(row, model=name, average_rank=float(place), not_separated=others)
                for place, (name, others) in enumerate(zip("abcd", joined, strict=False), 1)
            ]
        )

    # a–b–c are joined to each other, c–d too, but a and b are separated from d
    assert runs("b c", "a c", "a b d", "c") == [(0, 2), (2, 3)]
    # a–b and b–c are joined, a and c are separated: one bar over all three would deny that
    assert runs("b", "a c", "b") == [(0, 1), (1, 2)]
    assert runs("", "", "") == []
    assert bar_levels([(0, 1), (1, 2), (3, 4)]) == [0, 1, 0]


def gaps_of(**means):
    """Gaps on one task of encoders with these scores."""
    rows = [fake_summary.one_row(model=model, model_title=model, mean=mean) for model, mean in means.items()]
    return gap_rows(rows, fake_comparisons.comparisons(rows).pairs)


def test_gaps_are_to_the_highest_score_whichever_encoder_stands_first_in_its_pair():
    rows = gaps_of(a=0.3, b=0.5, c=0.4)
    found = [(row.model, round(row.gap, 9), row.is_best) for row in rows]
    assert found == [("a", -0.2, False), ("b", 0.0, True), ("c", -0.1, False)]
    for row in rows:
        if not row.is_best:
            assert row.gap_low < row.gap < row.gap_high
            assert {row.model_a, row.model_b} == {row.model, "b"}
    assert [row.is_best for row in gaps_of(a=0.4, b=0.4)] == [True, False]
    assert gaps_of(a=0.4) == []
    assert [row.model for row in gaps_of(a=0.4, b=math.nan, c=0.2)] == ["a", "c"]


def test_interval_of_bonett_and_wright():
    # by hand: atanh 0.6 = 0.693147, sqrt(1.18 / 17) = 0.263461, times 1.959964
    expected = (math.tanh(0.693147 - 0.516374), math.tanh(0.693147 + 0.516374))
    assert correlation_interval(0.6, 20, 0.95) == pytest.approx(expected, abs=1e-5)
    assert correlation_interval(-0.5, 3, 0.95) == (-1.0, 1.0)
    low, high = correlation_interval(1.0, 4, 0.95)
    assert low < -0.5 and high == 1.0  # with four encoders, one order in 24 is perfect by chance
    assert correlation_interval(1.0, 30, 0.95)[0] > 0.95
    assert all(math.isnan(limit) for limit in correlation_interval(math.nan, 9, 0.95))


def test_geometry_is_held_against_scores_and_tasks():
    found = fake_similarity.summarised(["STS12", "STSB-test", "KorSTS-test"])
    similarity = found.scores
    scores = fake_summary.score_rows(tasks=["T1A", "T1B"])
    rows = association_rows(found.geometry, similarity, scores)
    hubness = {(row.family, row.score): row for row in rows if row.measure == "hubness_skewness"}
    against = hubness["sts-english", "similarity"]
    assert (against.n_models, against.n_controls) == (5, 2)
    assert against.correlation == pytest.approx(-1.0)  # made so
    # tf-idf has no geometry, two encoders have no task scores
    assert hubness["sts-english", "tasks"].n_models == 3
    undefined = [row for row in rows if row.measure == "word_order_cosine"]
    assert all(row.n_models == 0 and math.isnan(row.correlation) for row in undefined)
    # the plane is coloured by the mean over the family's sets of pairs
    main = [row for row in similarity if row.is_main and row.aggregation == "all"]
    english = [row.value for row in main if row.family == "sts-english" and row.model == "minilm-l6"]
    plane = plane_rows(found.alignments, similarity)
    (score,) = {row.score for row in plane if row.model == "minilm-l6"}
    assert score == pytest.approx(100 * math.fsum(english) / 2)
