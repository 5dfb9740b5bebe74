"""The figures of retrieval, what they are made of, and what the page finds."""

import math

import fake_retrieval
import numpy as np
import pytest
from made_products import draw, recipe

from sentflow.files.rows import write_rows
from sentflow.report.families.retrieval import question_differences
from sentflow.report.families.retrieval.cost_summary import cost_rows
from sentflow.report.families.retrieval.findings import retrieval_findings
from sentflow.report.families.retrieval.question_summary import gap_rows, recall_rows
from sentflow.report.figure import canvas
from sentflow.report.figure.canvas import save

FIGURES = ("retrieval-stages", "question-differences", "recall-curve", "effectiveness-cost")


@pytest.fixture(scope="module")
def found():
    return fake_retrieval.results()


@pytest.fixture(autouse=True)
def project_style():
    with canvas.style():
        yield


def rows_of(name, found):
    return found.by_kind()[recipe(name).kind]


def texts_of(figure):
    said = [text.get_text() for text in figure.texts]
    said += [title for axes in figure.axes for title in (axes.get_title(loc="left"), axes.get_ylabel())]
    return " ".join(" ".join(said).split())


@pytest.mark.parametrize("name", FIGURES)
def test_drawn_stamped_and_drawn_again_from_its_own_data(found, tmp_path, name):
    write_rows(tmp_path / "rows.parquet", recipe(name).kind, rows_of(name, found))
    figure = draw(name, tmp_path / "rows.parquet", data=tmp_path / "data.parquet")
    assert "SAMPLE DATA" in texts_of(figure)
    save(figure, tmp_path / "one.png")
    save(draw(name, tmp_path / "data.parquet"), tmp_path / "two.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_to_draw_is_said(tmp_path, name):
    write_rows(tmp_path / "data.parquet", recipe(name).kind, [])
    assert "Nothing to" in texts_of(draw(name, tmp_path / "data.parquet"))


def test_a_retriever_looks_the_same_in_every_figure(found):
    recall, costs = (canvas.looks(rows_of(name, found)) for name in ("recall-curve", "effectiveness-cost"))
    assert {name: recall[name] for name in costs} == costs
    assert set(recall) - set(costs) == {"random"} or set(recall) == set(costs)


# --- differences question by question -----------------------------------------------------------------------


def test_differences_are_the_retrievers_less_the_reference_whichever_stands_first():
    sets, names = ("first",), ("dense", "bm25", "both")
    values = [fake_retrieval.values_of("first", name, 0.1 * (name == "both")) for name in names]
    differences = fake_retrieval.results(sets, names).differences
    settings = {**fake_retrieval.settings_of(sets, names), "reference": "bm25"}
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


def test_neither_controls_nor_the_reference_itself_are_compared(found):
    assert {row.model for row in found.gaps} == {"dense", "both"}


def test_of_many_retrievers_those_with_the_highest_differences_are_drawn_and_the_others_named():
    found = fake_retrieval.results(("first",), [f"r{place}" for place in range(8)])
    means = {row.model: row.mean for row in found.gaps}
    shown = question_differences.shown_models(found.gaps)
    assert sorted(shown) == sorted(sorted(means, key=lambda name: -means[name])[:4])
    assert "Not drawn: 3 retrievers" in question_differences.texts_of(found.gaps).reading


# --- recall -------------------------------------------------------------------------------------------------


def test_the_curve_rises_meets_the_measures_and_has_intervals_at_few_cutoffs(found):
    own = [row for row in found.recall if (row.questions, row.model) == ("first", "both")]
    recalls = {row.cutoff: row.recall for row in own}
    assert list(recalls.values()) == sorted(recalls.values())
    for row in found.rows:
        if (row.questions, row.retriever) == ("first", "both") and row.measure in ("R@10", "R@100"):
            assert recalls[int(row.measure.removeprefix("R@"))] == pytest.approx(row.value, abs=1e-12)
    banded = {row.cutoff: (row.low, row.high) for row in own if not math.isnan(row.low)}
    assert list(banded) == [1, 10, 100, 200]
    assert all(low <= recalls[cut] <= high for cut, (low, high) in banded.items())


def test_bands_of_recall_are_those_of_the_bootstrap_of_a_single_retriever():
    settings = fake_retrieval.settings_of(("first",), ("bm25", "dense"))
    both = [fake_retrieval.values_of("first", name, 0) for name in ("bm25", "dense")]
    together, alone = (list(recall_rows(values, settings)) for values in (both, both[1:]))
    np.testing.assert_allclose(
        [row.low for row in together if row.model == "dense"], [row.low for row in alone], rtol=1e-12
    )


# --- costs --------------------------------------------------------------------------------------------------


def test_a_fusion_costs_what_its_parts_cost_and_a_run_of_others_is_unknown(found):
    rows = [row for row in found.rows if row.questions == "first"]
    seconds = {"bm25": 1.0, "dense": 2.0, "both": 0.5, "random": None}
    searched = {
        ("first", name): {"n_questions": 10, "seconds": value, "index_bytes": value and 100}
        for name, value in seconds.items()
    }
    settings = {
        "parts": {
            "bm25": ["bm25"],
            "dense": ["dense"],
            "both": ["bm25", "dense", "both"],
            "random": ["random"],
        },
        "encoders": {"dense": "e5"},
    }
    # of 20 questions of all sets on the corpus 10 are of this one
    encoded = {(rows[0].corpus, "e5"): {"seconds": 8.0, "n_texts": 20}}
    made = {row.model: row for row in cost_rows(rows, searched, encoded, settings)}
    assert made["bm25"].seconds_each == pytest.approx(0.1)
    assert made["dense"].seconds_each == pytest.approx(0.6)
    assert made["both"].seconds_each == pytest.approx(0.75)
    assert made["both"].index_bytes == 300
    assert math.isnan(made["random"].seconds_each)
    assert math.isnan(made["random"].index_bytes)


# --- findings -----------------------------------------------------------------------------------------------


def test_the_page_says_who_leads_by_how_much_and_whether_a_test_shows_it(found):
    findings = {
        finding.heading: finding.text for finding in retrieval_findings(found.rows, found.differences)
    }
    assert findings["Highest nDCG@10"].startswith("BOTH on 3 of 3")
    first = findings["First before second"]
    assert first.startswith("first: BOTH before ")
    row = next(row for row in found.gaps if (row.questions, row.model) == ("first", "both"))
    assert f"{row.mean:+.3f}" in first or "DENSE" in first.split(";")[0]
    assert "new questions on the same documents" in first
    assert (
        "retrievers are equal"
        in findings["How clear the lead in retrieval is, for new questions on the same documents"]
    )


def test_nothing_is_found_where_nothing_was_measured_or_tested():
    assert retrieval_findings([], []) == []
    found = fake_retrieval.results(("first",), ("bm25",))
    assert [finding.heading for finding in retrieval_findings(found.rows, [])] == ["Highest nDCG@10"]
