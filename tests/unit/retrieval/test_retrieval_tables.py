"""The tables of retrieval: question sets side by side, all measures, published values."""

import math
from dataclasses import replace

import fake_retrieval
import pytest

from sentflow.compare.question_rows import QuestionDifference
from sentflow.report.checks import Selection
from sentflow.report.families.retrieval.checks import check_retrieval
from sentflow.report.families.retrieval.measures_table import measures_table
from sentflow.report.families.retrieval.published_table import beside_ours, published_table
from sentflow.report.families.retrieval.retrieval_table import deepest_recall, retrieval_table
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex_text
from sentflow.report.table.tex_layout import PAGE
from sentflow.report.table.tex_parts import parts_of


@pytest.fixture(scope="module")
def found():
    return fake_retrieval.results()


def test_sets_stand_side_by_side_by_the_main_measure_and_by_the_deepest_recall(found):
    table = retrieval_table(found.rows, "Title", found.differences)
    assert table.header == ("Retriever", "first", "second", "third", "Mean")
    assert [group.title for group in table.groups] == ["nDCG@10", "R@100"]
    best = table.groups[0].rows[2]
    assert [cell.mark for cell in best[1:4]] == ["best"] * 3
    assert all(cell.detail for cell in best[1:4])
    assert best[4].mark == ""
    mean = math.fsum(row.value for row in found.rows if row.retriever == "both" and row.is_main) / 3
    assert best[4].text == f"{mean:.3f}"
    assert not any(cell.mark or cell.detail for row in table.groups[1].rows for cell in row)
    assert len(csv_text(table).splitlines()) == 1 + len(found.rows)


def test_no_mean_over_sets_that_share_documents_or_over_two_sets(found):
    shared = [replace(row, corpus="one") for row in found.rows]
    assert "Mean" not in retrieval_table(shared, "Title", found.differences).header
    two = [row for row in found.rows if row.questions != "third"]
    assert "Mean" not in retrieval_table(two, "Title", found.differences).header


def test_one_set_has_all_measures_as_columns(found):
    first = [row for row in found.rows if row.questions == "first"]
    table = retrieval_table(first, "Title", found.differences)
    assert (table.name, table.header) == ("retrieval", ("Retriever", "nDCG@10", "R@10", "R@100"))


def test_groups_of_questions_are_in_the_table_of_groups_alone(found):
    table = measures_table(fake_retrieval.with_groups(found.rows), "Title", found.differences)
    assert [group.title.split(":")[0] for group in table.groups] == ["first", "second", "third"]
    assert len(table.tidy_rows) == len(found.rows)


def test_the_recall_with_the_most_documents_is_shown():
    assert deepest_recall(["R@10", "RR@10", "R(rel=2)@100", "P@1000", "R@20"]) == ["R(rel=2)@100"]
    assert deepest_recall(["RR@10", "AP"]) == []


# --- width --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_sets", [2, 5, 8])
def test_latex_tables_fit_the_text_of_a_page(n_sets):
    sets = [f"question-set-{place}" for place in range(n_sets)]
    retrievers = ["bm25", *(f"r{place}" for place in range(4)), "random"]
    found = fake_retrieval.results(sets, retrievers)
    table = retrieval_table(found.rows, "Title", found.differences)
    parts = parts_of(table)
    assert all(part.layout.width <= PAGE for part in parts)
    shown = [name for part in parts for name in part.table.header if name.startswith("question-set")]
    assert sorted(set(shown)) == sets
    assert latex_text(table).count(r"\end{tabular}") == len(parts)


def test_the_matrix_has_a_line_per_retriever_and_measure_and_a_column_per_question_set(found):
    matrix = retrieval_table(found.rows, "Title", found.differences).matrix
    assert matrix.header == ("retriever", "retriever_title", "measure", "first", "second", "third")
    value = {(row.retriever, row.measure, row.questions): row.value for row in found.rows}
    for retriever, _, measure, *values in matrix.rows:
        assert values == [value[retriever, measure, name] for name in ("first", "second", "third")]


# --- published values ---------------------------------------------------------------------------------------

ENTRY = {
    "questions": "first",
    "system": "BM25 of a paper",
    "retriever": "bm25",
    "measure": "nDCG@10",
    "value": 0.5,
    "source": "Author 2026, table 3",
}


def test_published_values_stand_beside_ours_with_the_difference(found):
    (value,) = beside_ours([ENTRY], found.rows)
    ours = next(
        row
        for row in found.rows
        if (row.questions, row.retriever, row.measure) == ("first", "bm25", "nDCG@10")
    )
    assert (value.value, value.low, value.difference) == (ours.value, ours.low, ours.value - 0.5)
    assert "Author 2026" in latex_text(published_table(found.rows, "Title", [ENTRY]))


def test_beside_what_is_not_comparable_stands_nothing_of_ours_and_it_says_why(found):
    entry = {**ENTRY, "comparable": False, "remark": "On other documents."}
    (value,) = beside_ours([entry], found.rows)
    assert (value.retriever, math.isnan(value.value), math.isnan(value.difference)) == ("", True, True)
    table = published_table(found.rows, "Title", [entry, ENTRY, {**entry, "measure": "P@3"}])
    assert [(group.title, len(group.rows)) for group in table.groups] == [
        ("first: Questions of first", 1),
        ("first: Questions of first; not comparable with ours", 2),
    ]
    assert table.groups[1].rows[0][0].text == "BM25 of a paper (1)"
    assert [cell.text for cell in table.groups[1].rows[0][3:7]] == ["—"] * 4
    assert table.notes[-1] == "(1) On other documents."


def test_values_of_other_sets_are_left_out_and_other_systems_stand_alone(found):
    other = {**ENTRY, "questions": "unknown"}
    alone = {key: value for key, value in ENTRY.items() if key != "retriever"}
    (value,) = beside_ours([other, alone], found.rows)
    assert (value.retriever, math.isnan(value.value)) == ("", True)


# --- the check reads what was written -----------------------------------------------------------------------


def checked(table, found, tmp_path, *, instead=lambda text: text):
    path = tmp_path / "retrieval.md"
    path.write_text(instead(markdown_text(table)), encoding="utf-8")
    held = {RetrievalRow: found.rows, QuestionDifference: found.differences}
    selection = Selection(
        question_sets=["first", "second", "third"], retrievers=["bm25", "dense", "both", "random"]
    )
    return check_retrieval(Inputs.holding(held, [path]), selection)


def test_the_check_accepts_marks_of_tests_in_sets_side_by_side(found, tmp_path):
    result = checked(retrieval_table(found.rows, "Title", found.differences), found, tmp_path)
    assert result.problems == []
    assert result.counts["marked_scores"] >= 3


def test_the_check_finds_a_mark_that_no_test_supports(found, tmp_path):
    table = retrieval_table(found.rows, "Title", found.differences)
    worst = table.groups[0].rows[3][1].text
    result = checked(
        table, found, tmp_path, instead=lambda text: text.replace(f"| {worst} [", f"| **{worst}** [", 1)
    )
    assert [problem for problem in result.problems if "first" in problem and "without a test" in problem]
