"""The acceptance check of retrieval: it passes what is right, and names the rows of what is not."""

import math
from dataclasses import replace

import pytest

from sentflow.compare.question_rows import QuestionDifference
from sentflow.files.rows import row_from, write_rows
from sentflow.report.checks import Selection
from sentflow.report.families.retrieval.checks import check_retrieval
from sentflow.report.families.retrieval.groups_table import groups_table
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.table.formats import markdown

SELECTION = Selection(question_sets=["q"], retrievers=["bm25", "random"])


def row_of(**values):
    types = {"str": "x", "int": 50, "float": 0.5, "bool": False}
    defaults = {name: types[str(getattr(kind, "__name__", kind))] for name, kind in RetrievalRow.__annotations__.items()
                if name != "FILE"}  # fmt: skip
    named = {
        "questions": "q",
        "retriever": "bm25",
        "retriever_title": "BM25",
        "measure": "nDCG@10",
        "group": "",
    }
    return RetrievalRow(
        **{**defaults, **named, "is_main": True, "low": 0.4, "high": 0.6, "chance": 0.1, **values}
    )


BM25 = row_of()
RANDOM = row_of(retriever="random", retriever_title="Random", is_control=True, value=0.1, low=0.05, high=0.15)


def checked(tmp_path, rows, *, table="", differences=()):
    write_rows(tmp_path / "retrieval.parquet", RetrievalRow, rows)
    write_rows(tmp_path / "differences.parquet", QuestionDifference, differences)
    (tmp_path / "retrieval.md").write_text(table, encoding="utf-8")
    inputs = Inputs(
        [tmp_path / "retrieval.parquet", tmp_path / "differences.parquet"], [tmp_path / "retrieval.md"]
    )
    return check_retrieval(inputs, SELECTION)


def test_what_is_right_passes(tmp_path):
    found = checked(tmp_path, [BM25, RANDOM])
    assert found.passed
    assert found.counts == {"question_sets": 1, "scores": 2, "random_scores": 1, "marked_scores": 0}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([BM25], "q × random: no score"),
        ([BM25, RANDOM, replace(BM25, retriever="rrf")], "q × rrf: not selected"),
        ([replace(BM25, value=1.2, high=1.3), RANDOM], "1.2 is no share"),
        ([replace(BM25, value=math.nan), RANDOM], "nan is no share"),
        ([replace(BM25, value=0.7), RANDOM], "does not contain it"),
        ([BM25, replace(RANDOM, value=0.3, low=0.2, high=0.4)], "but a random order reaches 0.100 on average"),
        ([BM25, replace(RANDOM, value=0.01, low=0.0, high=0.02)], "check whether judgements and runs name the same"),
    ],
)  # fmt: skip
def test_what_is_not_is_named(tmp_path, rows, said):
    found = checked(tmp_path, rows)
    assert any(said in problem for problem in found.problems), found.problems


def test_a_random_order_without_a_known_level_is_not_judged(tmp_path):
    found = checked(tmp_path, [BM25, replace(RANDOM, chance=math.nan, value=0.9, high=1.0)])
    assert (found.passed, found.counts["random_scores"]) == (True, 0)


def test_a_mark_needs_a_test(tmp_path):
    table = "| Retriever | nDCG@10 |\n| :-- | --: |\n| BM25 | **0.500** |\n| Random | 0.100 |\n"
    assert checked(tmp_path, [BM25, RANDOM], table=table).problems == [
        "table retrieval: BM25 × nDCG@10: **0.500** is bold without a test"
    ]
    test = row_from(
        QuestionDifference,
        {name: 0.0 for name in QuestionDifference.__annotations__ if name != "FILE"},
        unit_set="q",
        measure="nDCG@10",
        model_a="bm25",
        model_b="random",
        value_a=0.5,
        value_b=0.1,
        difference=0.4,
        p_holm=0.001,
        alpha=0.05,
    )
    assert checked(tmp_path, [BM25, RANDOM], table=table, differences=[test]).passed


def test_groups_are_shown_beside_all_and_of_few_questions_in_brackets():
    clean, leaked, own = (replace(BM25, group=name, n_questions=n) for name, n in
                          (("clean", 45), ("leaked", 5), ("a group", 30)))  # fmt: skip
    table = groups_table([BM25, own, leaked, clean], "Title")
    assert [tuple(cell.text for cell in line) for line in table.groups[0].rows] == [
        ("all", "50", "0.500"),
        ("clean", "45", "0.500"),
        ("leaked", "5", "(0.500)"),
        ("a group", "30", "0.500"),
    ]
    assert any("fewer than 20 questions" in note for note in table.notes)
    assert markdown(table.caption) == "Title: retrieval by groups of questions."


def test_question_sets_without_groups_are_said_to_have_none():
    table = groups_table([BM25, RANDOM], "Title")
    assert table.groups == ()
    assert any("No question set has groups" in note for note in table.notes)
