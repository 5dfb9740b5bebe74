"""The figures of retrieval, what they are made of, and what the page finds."""

import math
from dataclasses import replace

import fake_retrieval
import numpy as np
import pytest
from made_products import draw, recipe

from sentflow.files.rows import write_rows
from sentflow.report.families.retrieval import effectiveness_cost, question_differences
from sentflow.report.families.retrieval.cost_summary import cost_rows
from sentflow.report.families.retrieval.costs_table import costs_table
from sentflow.report.families.retrieval.findings import retrieval_findings
from sentflow.report.families.retrieval.question_summary import gap_rows, recall_rows
from sentflow.report.figure import canvas
from sentflow.report.figure.canvas import save
from sentflow.report.table.latex import latex_text

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
    settings = {"parts": {name: [name] for name in ("bm25", "dense", "random")}, "encoders": {"dense": "e5"}}
    settings["parts"]["both"] = ["bm25", "dense", "both"]
    return list(cost_rows(rows, searched, encoded, settings))


def test_terms_matches_and_multiplications_stand_side_by_side(found):
    made = {row.model: row for row in costs_of(found) if row.questions == "first"}
    assert (made["bm25"].terms_per_question, made["bm25"].expected_matches, made["bm25"].flops) == (
        7,
        2.5,
        2.5,
    )
    # two passages per document
    assert (made["dense"].flops, made["dense"].encoded_on) == (768, "cpu, 2 threads")
    assert math.isnan(made["dense"].expected_matches)
    assert math.isnan(made["both"].flops)
    assert (made["both"].index_bytes, made["both"].bytes_per_document) == (12000, 30)
    assert (made["bm25"].searched_per_second, made["bm25"].per_second) == (
        pytest.approx(300),
        pytest.approx(100),
    )
    assert made["dense"].per_second == pytest.approx(15)
    assert made["both"].encode_seconds == pytest.approx(2.1)


def test_the_table_of_costs_has_the_columns_of_which_something_is_known(found):
    table = costs_table(costs_of(found), "Title")
    assert table.header[2:] == (
        *("Terms, question", "Terms, document", "Matched terms", "FLOPS", "Bytes, document"),
        *("Questions/s", "with encoding"),
    )
    lines = {row[0].text: [cell.text for cell in row[2:]] for row in table.groups[0].rows}
    assert lines == {
        "BM25": ["7.00", "60.0", "2.50", "2.50", "10.0", "300", "100"],
        "DENSE": ["—", "—", "—", "768", "10.0", "300", "15.0"],
        "BOTH": ["—", "—", "—", "—", "30.0", "100", "12.5"],
    }
    assert "Questions were embedded on cpu, 2 threads." in table.notes
    elsewhere = [replace(row, encoded_on="cuda") if row.model == "both" else row for row in costs_of(found)]
    assert (
        "Questions were embedded on cpu, 2 threads of DENSE; on cuda of BOTH."
        in costs_table(elsewhere, "T").notes
    )
    dense = costs_table([row for row in costs_of(found) if row.model == "dense"], "Title")
    assert dense.header[2:] == ("FLOPS", "Bytes, document", "Questions/s", "with encoding")
    assert not [note for note in dense.notes if note.startswith("Matched terms")]
    assert latex_text(table).count("Matched terms") > 1


def test_multiplications_are_drawn_where_they_compare_two_retrievers(found):
    figure = effectiveness_cost.draw(costs_of(found))
    assert [axes.get_xlabel() for axes in figure.axes[-3:]] == [
        "time per question",
        "size per document",
        "FLOPS per question and document",
    ]
    alone = effectiveness_cost.draw(costs_of(found, {"bm25": COUNTED["bm25"]}))
    assert len(alone.axes) == 2 * 3
    assert "FLOPS" in texts_of(figure)
    assert "FLOPS" not in texts_of(alone)


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
