"""The ledger: every published number is a claim, and a verdict says how near ours is."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from fake_summary import one_row
from filled import filled
from trained_results import similarity_rows

from sentflow.compare.score_rows import ScoreRow
from sentflow.config.entries import read_yaml
from sentflow.families.ledger import CATALOG
from sentflow.files.rows import write_rows
from sentflow.ledger.answers import NOTHING, Answer, Answers
from sentflow.ledger.claims import claims_of
from sentflow.ledger.verdicts import EQUAL, NOT_RUN, OUTSIDE, WITHIN, LedgerRow, ledger_rows, verdict_of
from sentflow.report.checks import Selection
from sentflow.report.families.geometry.rows import AlignmentRow
from sentflow.report.families.ledger.section import report
from sentflow.report.families.ledger.tables import check_ledger, ledger
from sentflow.report.families.retrieval.rows import DecisionRow
from sentflow.report.inputs import Inputs
from sentflow.report.page.sources import Sources
from sentflow.report.table.formats import markdown_text

WORKFLOW = Path(__file__).parents[2] / "workflow"


@pytest.fixture(scope="module")
def catalog():
    return {Path(name).stem: read_yaml(WORKFLOW / name) for name in CATALOG}


@pytest.fixture(scope="module")
def claims(catalog):
    return claims_of(catalog)


def rows_of(catalog, claims, files=()):
    return ledger_rows(claims, catalog["ledger"], Answers(files, catalog["published_training"]))


def test_every_printed_number_is_a_claim_of_its_own_and_our_values_are_of_claims(catalog, claims):
    assert len({claim.name for claim in claims}) == len(claims)
    found = Counter(claim.system for claim in claims)
    assert found["BM25 on small collections"] == 88
    assert {*catalog["ledger"]["systems"]} == {*found}
    assert {*catalog["ledger"]["expected"]} <= {claim.name for claim in claims if claim.kind}


def test_half_a_unit_of_the_last_digit_is_equal_and_the_tolerance_is_within():
    cases = {0.005: EQUAL, -0.005: EQUAL, 0.0051: WITHIN, -0.02: WITHIN, 0.021: OUTSIDE, math.nan: NOT_RUN}
    assert {difference: verdict_of(difference, 2, 0.02) for difference in cases} == cases


def test_ours_stands_beside_the_printed_value_with_its_interval(tmp_path, catalog, claims):
    sts12 = {"pairs": "STS12", "group": "STS12", "value": 0.7237, "low": 0.7, "high": 0.74}
    row = replace(similarity_rows()[0], model="minilm-l6", **sts12)
    write_rows(tmp_path / "similarity.parquet", type(row), [row])
    found = [
        row
        for row in rows_of(catalog, claims, [tmp_path / "similarity.parquet"])
        if row.system == "all-MiniLM-L6-v2"
    ]
    of_sts12 = {row.source: row for row in found if row.column == "STS12"}
    paper = of_sts12["MTEB paper, table of all English tasks"]
    assert (paper.verdict, round(paper.ours, 6), paper.low, paper.high) == (EQUAL, 72.37, 70, 74)
    assert of_sts12["MTEB, results repository"].verdict == WITHIN
    assert {row.verdict for row in found if row.column != "STS12"} == {NOT_RUN}
    text = markdown_text(ledger(Inputs.holding({LedgerRow: found})))
    assert "| STS12 | ✓ | 72.37 | 72.370 [70.00, 74.00] | 0.000 | 0.02 | — |" in text


def test_each_kind_of_printed_value_is_answered_by_its_summary(tmp_path, catalog, claims):
    """What other programs gave is handed over as ours, so that a name or a column that is wrong shows."""
    score = one_row(task="T1B-open", model="minilm-l6", mean=0.3876, std=0.0492, not_comparable="")
    write_rows(tmp_path / "scores.parquet", ScoreRow, [replace(score, not_comparable="2 repetitions")])
    others = rows_of(catalog, claims, [tmp_path / "scores.parquet"])
    assert {row.verdict for row in others if row.system.startswith("Published evaluator")} == {NOT_RUN}
    write_rows(tmp_path / "scores.parquet", ScoreRow, [score])
    aligned = filled(
        AlignmentRow, alignment_set="STSB-test", pairs="STSB-test", model="minilm-l6", variant="definition",
        threshold=4.0, comparison="above", sentences="all", batch=0, alignment=0.2512, uniformity=-3.9,
        data_version="raw",
    )  # fmt: skip
    write_rows(tmp_path / "alignments.parquet", AlignmentRow, [aligned])
    decided = filled(
        DecisionRow, questions="zalo-subset-test", retriever="bm25-zalo", decision="first", system="bm25-zalo/first",
        measure="F2", value=0.5209, low=0.43, high=0.61, data_version="raw", language="vi",
    )  # fmt: skip
    write_rows(tmp_path / "decisions.parquet", DecisionRow, [decided])
    files = [tmp_path / f"{name}.parquet" for name in ("scores", "alignments", "decisions")]
    found = {
        (row.system, row.column): row.verdict
        for row in rows_of(catalog, claims, files)
        if row.verdict != NOT_RUN
    }
    evaluator, minilm = (
        "Published evaluator of Ulysses SentEval",
        "Alignment and uniformity of all-MiniLM-L6-v2",
    )
    assert found[evaluator, "mean"] == found[evaluator, "std"] == EQUAL
    assert (found[minilm, "alignment"], found[minilm, "uniformity"]) == (WITHIN, OUTSIDE)
    assert found["F2 on the Zalo subset", "F2"] == EQUAL


def test_what_is_chosen_from_published_cells_is_in_no_total_and_the_page_has_every_claim(catalog, claims):
    rows = rows_of(catalog, claims)
    assert {row.verdict for row in rows} == {NOT_RUN} and sum(row.has_ours for row in rows) == 36
    assert check_ledger(Inputs.holding({LedgerRow: rows}), Selection()).counts["claims"] == 36
    inputs = Inputs.holding({LedgerRow: rows})
    inputs.files = (Path("ledger.parquet"),)
    (section,) = report(Sources(inputs, {}, [], "", {}, [])).sections
    assert section.finding.startswith(f"0 of {len(rows)} published numbers were run here")
    assert section.body.count('<tr class="v3">') == len(rows)
    assert f"not run here ({len(rows)})" in section.body


def test_a_value_that_moved_fails_the_check_and_one_without_entry_is_counted(catalog, claims):
    one, other = [catalog["ledger"]["differences"][0][part] for part in ("claim", "baseline")]
    values = {one: 0.7605, other: 0.1105}

    def problems(**expected):
        ledger = {**catalog["ledger"], "expected": expected}
        rows = ledger_rows(
            claims, ledger, lambda claim: Answer(values[claim.name]) if claim.name in values else NOTHING
        )
        (difference,) = [row for row in rows if " less " in row.row and row.ours == row.ours]
        assert difference.printed == pytest.approx(0.6494)
        assert difference.effect_ratio == pytest.approx(0.65 / 0.6494)
        found = check_ledger(Inputs.holding({LedgerRow: rows}), Selection())
        return found.problems, found.counts["claims_without_entry"]

    at_home = {name: {"value": value, "commit": "0" * 8, "why": "first"} for name, value in values.items()}
    assert problems(**at_home) == ([], 0)
    near = {**at_home, one: {**at_home[one], "value": 0.7609}}
    assert problems(**near) == ([], 0)
    moved = {**at_home, one: {**at_home[one], "value": 0.7611}}
    assert problems(**moved) == ([f"{one}: 0.7605, expected 0.7611"], 0)
    assert problems(**{other: at_home[other]}) == ([], 1)
