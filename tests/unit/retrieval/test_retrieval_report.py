"""Tables and stages of retrieval, and the acceptance check."""

import math
from dataclasses import replace

import fake_retrieval
import numpy as np
import pytest
from fake_retrieval import MAIN, chain, stages_of
from filled import filled

from sentflow.compare.rows import QuestionDifference
from sentflow.report.checks import Selection
from sentflow.report.claims import of_retrieval
from sentflow.report.families.retrieval.checks import check_retrieval
from sentflow.report.families.retrieval.choice_tables import costs
from sentflow.report.families.retrieval.rows import RetrievalCostRow, RetrievalRow
from sentflow.report.families.retrieval.summary import cost_rows, gap_rows, stage_rows
from sentflow.report.families.retrieval.tables import retrieval
from sentflow.report.inputs import Inputs
from sentflow.report.settings import CostSummary
from sentflow.stats.multiplicity import holm


@pytest.fixture(scope="module")
def found():
    return fake_retrieval.results()


def table_of(rows, differences):
    held = {RetrievalRow: rows, QuestionDifference: differences}
    return retrieval(Inputs.holding(held))


def test_no_mean_over_sets_that_share_documents_or_over_two_sets(found):
    shared = [replace(row, corpus="one") for row in found.rows]
    assert "Mean" not in table_of(shared, found.differences).headings
    two = [row for row in found.rows if row.questions != "third"]
    assert "Mean" not in table_of(two, found.differences).headings


def test_differences_are_the_retrievers_less_the_reference_whichever_stands_first():
    sets, names = ("first",), ("dense", "bm25", "both")
    values = [fake_retrieval.values_of("first", name, 0.1 * (name == "both")) for name in names]
    differences = fake_retrieval.results(sets, names).differences
    settings = fake_retrieval.settings_of(sets, names).model_copy(update={"reference": "bm25"})
    rows = list(gap_rows(values, differences, settings))
    assert {row.model for row in rows} == {"dense", "both"}
    for place, name in ((0, "dense"), (2, "both")):
        own = [row for row in rows if row.model == name]
        gaps = values[place].values["nDCG@10"] - values[1].values["nDCG@10"]
        np.testing.assert_array_equal([row.difference for row in own], gaps)
        tested = next(row for row in differences if {row.model_a, row.model_b} == {name, "bm25"})
        sign = 1 if tested.model_a == name else -1
        assert own[0].mean == sign * tested.difference
        assert own[0].low < own[0].mean < own[0].high
        wins = (gaps > 1e-9).sum(), (abs(gaps) <= 1e-9).sum(), (gaps < -1e-9).sum()
        assert (own[0].wins, own[0].ties, own[0].losses) == wins


COUNTED = {
    "bm25": {
        "terms_per_question": 7,
        "terms_per_document": 60,
        "expected_matches": 2.5,
        "flops": 2.5,
        "n_vectors": 400,
    },
    "dense": {"flops": 384, "n_vectors": 800},
}


def costs_of(found, counted=COUNTED):
    """Costs of the retrievers; the questions of the dense one were embedded, those of BM25 cut into terms."""
    rows = [replace(row, n_documents=400) for row in found.rows]
    searched = {
        (one, name): {"n_questions": 30, "seconds": 0.1, "index_bytes": 4000.0, **counted.get(name, {})}
        for one in dict.fromkeys(row.questions for row in rows)
        for name in ("bm25", "dense", "both", "random")
    }
    for one, name in searched:
        if name == "bm25":
            searched[one, name]["question_seconds"] = 0.2
    encoded = {
        (row.corpus, "e5"): {"seconds": 1.9, "n_texts": 30, "device": "cpu", "threads": 2} for row in rows
    }
    parts = {name: (name,) for name in ("bm25", "dense", "random")} | {"both": ("bm25", "dense", "both")}
    settings = CostSummary(parts=parts, encoders={"dense": "e5"})
    return list(cost_rows(rows, searched, encoded, settings))


def test_the_table_of_costs_has_the_columns_of_which_something_is_known(found):
    table = costs(Inputs.holding({RetrievalCostRow: costs_of(found)}))
    assert table.headings[2:] == [
        *("Terms, question", "Terms, document", "Matched terms", "FLOPS", "Bytes, document"),
        *("Questions/s", "with encoding"),
    ]
    lines = {row[0].text: [cell.text for cell in row[2:]] for row in table.blocks[0].lines}
    assert lines == {
        "BM25": ["7.00", "60.0", "2.50", "2.50", "10.0", "300", "100"],
        "DENSE": ["—", "—", "—", "768", "10.0", "300", "15.0"],
        "BOTH": ["—", "—", "—", "—", "30.0", "100", "12.5"],
    }
    dense = [row for row in costs_of(found) if row.model == "dense"]
    dense = costs(Inputs.holding({RetrievalCostRow: dense}))
    assert dense.headings[2:] == ["FLOPS", "Bytes, document", "Questions/s", "with encoding"]


def one(rows, place, measure=MAIN, questions="first"):
    [found] = [
        row
        for row in rows
        if (row.place, row.measure, row.questions, row.seed) == (place, measure, questions, "")
    ]
    return found


def test_differences_are_those_of_seeds_where_there_are_any_and_adjusted_over_the_question_set():
    rows, seeds, differences, families = chain()
    found = stage_rows(rows, seeds, differences, stages_of([["base"], ["one"], ["two"]], families=families))
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
        paired.value, paired.low, paired.high, 3
    )  # fmt: skip
    assert one(found, 1).reference == -single.difference
    assert math.isnan(one(found, 1).before)
    assert math.isnan(one(found, 3, "R@10").before)  # tests follow the main measure


SELECTION = Selection(question_sets=["q"], retrievers=["bm25", "random"])


def row_of(**values):
    named = {
        "questions": "q",
        "retriever": "bm25",
        "retriever_title": "BM25",
        "measure": "nDCG@10",
        "group": "",
    }
    counted = {"n_questions": 50, "is_main": True, "low": 0.4, "high": 0.6, "chance": 0.1}
    return filled(RetrievalRow, **{**named, **counted, **values})


BM25 = row_of()
RANDOM = row_of(retriever="random", retriever_title="Random", is_control=True, value=0.1, low=0.05, high=0.15)


def checked(rows):
    return check_retrieval(Inputs.holding({RetrievalRow: rows}), SELECTION)


def test_what_is_right_passes():
    few_questions = replace(RANDOM, value=0.3, low=math.nan, high=math.nan)
    assert checked([BM25, few_questions]).passed
    found = checked([BM25, RANDOM])
    assert found.passed
    assert found.counts == {"question_sets": 1, "scores": 2, "random_scores": 1}


def test_what_is_not_is_named():
    for rows, said in (
        ([BM25], "q × random: no score"),
        ([BM25, RANDOM, replace(BM25, retriever="rrf")], "q × rrf: not selected"),
        ([replace(BM25, value=1.2, high=1.3), RANDOM], "1.2 is no share"),
        ([replace(BM25, value=0.7), RANDOM], "does not contain it"),
        ([BM25, replace(RANDOM, value=0.3, low=0.2, high=0.4)], "but a random order reaches 0.100 on average"),
        ([BM25, replace(RANDOM, value=0.01, low=0.0, high=0.02)], "check whether judgements and runs name the same"),
    ):  # fmt: skip
        found = checked(rows)
        assert any(said in problem for problem in found.problems), found.problems


def test_what_equal_scores_decide_on_shows_its_range_and_is_no_highest_score():
    rows = [replace(BM25, value=0.5), replace(BM25, retriever="run", retriever_title="Run", value=1.0)]
    moved = [rows[0], replace(rows[1], worst_order=0.417, best_order=1.0)]
    assert table_of(moved, []).lines[1][1].detail.endswith("] ties 0.417–1.000")
    assert "ties" not in table_of([replace(moved[1], worst_order=0.995)], []).lines[0][1].detail
    for found, title in ((rows, "Run"), (moved, "BM25")):
        assert of_retrieval(found, [])[0].systems[0].title == title
