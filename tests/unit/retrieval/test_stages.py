"""Stages of a chain of retrievers: what is told of them, and how they are shown."""

import math

import fake_retrieval
import pytest
from fake_retrieval import MAIN, chain, stages_of

from sentflow.report.families.retrieval import stages_figure
from sentflow.report.families.retrieval.stage_summary import stage_rows
from sentflow.report.families.retrieval.stages_table import stages_table
from sentflow.report.figure import canvas
from sentflow.report.table.latex import latex_text
from sentflow.report.table.tex_layout import PAGE
from sentflow.report.table.tex_parts import parts_of
from sentflow.stats.multiplicity import holm

CHAIN = [["base"], ["one"], ["two"]]


@pytest.fixture(scope="module")
def known():
    return chain()


def rows_of(known, stages=CHAIN, **changed):
    rows, seeds, differences, families = known
    return stage_rows(rows, seeds, differences, stages_of(stages, **{"families": families, **changed}))


def one(rows, place, measure=MAIN, questions="first", seed=""):
    [found] = [
        row
        for row in rows
        if (row.place, row.measure, row.questions, row.seed) == (place, measure, questions, seed)
    ]
    return found


# --- what is told -------------------------------------------------------------------------------------------


def test_a_stage_with_seeds_is_their_mean_with_the_interval_for_new_questions_and_seeds(known):
    rows, seeds, _, families = known
    found = rows_of(known)
    for measure in (MAIN, "R@10"):
        [stated] = [
            row
            for row in seeds
            if (row.family, row.other, row.measure, row.unit_set) == ("two", "", measure, "first")
        ]
        stage = one(found, 3, measure)
        assert (stage.value, stage.low, stage.high, stage.n_seeds) == (
            stated.value,
            stated.low,
            stated.high,
            3,
        )
        single = {
            row.retriever: row.value for row in rows if (row.measure, row.questions) == (measure, "first")
        }
        members = [one(found, 3, measure, seed=seed) for seed in ("1", "2", "3")]
        assert [row.value for row in members] == [single[name] for name in families["two"].values()]
        assert all(math.isnan(row.low) for row in members)


def test_a_stage_without_seeds_has_the_interval_of_its_mean(known):
    [stated] = [
        row for row in known[0] if (row.retriever, row.measure, row.questions) == ("base", MAIN, "first")
    ]
    stage = one(rows_of(known), 1)
    assert (stage.value, stage.low, stage.high, stage.n_seeds) == (stated.value, stated.low, stated.high, 0)


def test_a_family_of_one_seed_is_that_retriever_and_marked_as_one_seed():
    known = chain(n_seeds=1)
    found = rows_of(known)
    stage = one(found, 2)
    assert (stage.n_seeds, stage.retriever, stage.before_seeds) == (1, "one", 0)
    [test] = [
        row for row in known[2] if (row.unit_set, row.model_a, row.model_b) == ("first", "base", "one-seed-1")
    ]
    assert (stage.before, stage.before_low, stage.before_high) == (-test.difference, -test.high, -test.low)
    assert not [row for row in found if row.seed]


def test_differences_are_those_of_seeds_where_there_are_any_and_adjusted_over_the_question_set(known):
    _, seeds, differences, _ = known
    found = rows_of(known)
    by_seed = {
        (row.family, row.other): row for row in seeds if (row.unit_set, row.measure) == ("first", MAIN)
    }
    [single] = [
        row for row in differences if (row.unit_set, row.model_a, row.model_b) == ("first", "bm25", "base")
    ]
    tests = {
        ("reference", 1): single.p,
        ("reference", 2): by_seed["one", "bm25"].p,
        ("reference", 3): by_seed["two", "bm25"].p,
        ("before", 2): by_seed["one", "base"].p,
        ("before", 3): by_seed["two", "one"].p,
    }
    adjusted = dict(zip(tests, holm(list(tests.values())), strict=True))
    for (kind, place), p in adjusted.items():
        assert getattr(one(found, place), f"{kind}_p") == pytest.approx(p)
    paired = by_seed["two", "one"]
    stage = one(found, 3)
    assert (stage.before, stage.before_low, stage.before_high, stage.before_seeds) == (
        paired.value, paired.low, paired.high, 3,
    )  # fmt: skip
    assert one(found, 1).reference == -single.difference
    assert math.isnan(one(found, 1).before)
    assert math.isnan(one(found, 3, "R@10").before)  # tests follow the main measure


def test_the_reference_is_told_once_and_what_was_not_measured_is_left_out(known):
    found = rows_of(known, [["base", "one"], ["missing", "two"]], series=("a", "b"))
    own = [row for row in found if (row.questions, row.measure, row.seed) == ("first", MAIN, "")]
    assert [(row.series, row.place) for row in own] == [("BM25", 0), ("a", 1), ("b", 1), ("b", 2)]


# --- how they are shown -------------------------------------------------------------------------------------


def test_the_table_has_means_then_both_kinds_of_differences_and_says_for_what_they_hold(known):
    table = stages_table(rows_of(known), "Test")
    assert table.header == (
        "Stage",
        "Seeds",
        *(f"{m} on {q}" for q in ("first", "second") for m in (MAIN, "R@10")),
    )
    assert [group.title for group in table.groups] == [
        "", "a series", "a series, less the stage before", "a series, less BM25",
    ]  # fmt: skip
    assert [[row[1].text for row in group.rows] for group in table.groups] == [
        ["—"], ["—", "3", "3"], ["3", "3"], ["—", "3", "3"],
    ]  # fmt: skip
    last = table.groups[2].rows[-1]
    assert last[0].text == "3 Stage two"
    assert last[2].text.count(";") == 1
    assert last[3].text == ""
    said = " ".join(table.notes)
    for part in (
        "new questions on the same documents",
        "new seeds",
        "Holm over all tests",
        "Nothing is said of new",
    ):
        assert part in said


def test_as_latex_the_table_fits_a_page(known):
    table = stages_table(rows_of(known), "Test")
    assert all(part.layout.width <= PAGE for part in parts_of(table))
    assert "{\\fontsize{7}{9.5}\\selectfont [" in latex_text(table)


def test_the_figure_says_how_many_seeds_there_are_and_what_one_says(known):
    several = stages_figure.texts_of(rows_of(known)).reading
    assert "“Stage one”, “Stage two”: 3 seeds." in several
    assert "and new seeds where there are several" in several
    single = stages_figure.texts_of(rows_of(chain(n_seeds=1))).reading
    assert "“Stage one”, “Stage two”: 1 seed, nothing is known of others." in single
    assert "new seeds" not in single


def test_the_figure_has_a_panel_per_question_set_and_measure_and_a_gap_where_nothing_was_measured(known):
    with canvas.style():
        figure = stages_figure.draw(rows_of(known, [["base"], ["missing"], ["two"]]))
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [f"{measure} on {name}" for name in ("first", "second") for measure in (MAIN, "R@10")]
    [labels] = {tuple(label.get_text() for label in axes.get_xticklabels()) for axes in figure.axes[2:]}
    assert labels == ("Stage base", "Stage two")
    lines = [line for axes in figure.axes for line in axes.get_lines() if line.get_marker() == "o"]
    assert [[math.isnan(value) for value in line.get_ydata()] for line in lines] == [[False, True, False]] * 4


def test_rows_of_results_without_seeds_are_stages_too():
    found = fake_retrieval.results().stages
    assert {row.n_seeds for row in found} == {0}
    assert {row.place for row in found} == {0, 1, 2, 3}
