"""The ledger: every published number is a claim, and a verdict says how near ours is."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from compiled_tables import CLASSES, complaints, needs_tex
from fake_summary import one_row
from trained_results import similarity_rows

from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.families.ledger.family import CATALOG
from sentflow.files.rows import write_rows
from sentflow.graph.config.schema import load_schema, read_yaml, schema_problems
from sentflow.ledger.answers import NOTHING, Answer, Answers
from sentflow.ledger.claims import claims_of
from sentflow.ledger.verdicts import EQUAL, NOT_RUN, OUTSIDE, WITHIN, LedgerRow, ledger_rows, verdict_of
from sentflow.report.checks import Selection
from sentflow.report.families.geometry.rows import AlignmentRow
from sentflow.report.families.ledger.check import check_ledger
from sentflow.report.families.ledger.ledger_table import ledger_table
from sentflow.report.families.retrieval.decision_rows import DecisionRow
from sentflow.report.inputs import Inputs
from sentflow.report.table.formats import markdown_text
from sentflow.report.table.latex import latex_text
from sentflow.similarity.averages import SEVEN_TASKS

WORKFLOW = Path(__file__).parents[2] / "workflow"
STUDY = "Korean/English contrastive study"


@pytest.fixture(scope="module")
def catalog():
    return {Path(name).stem: read_yaml(WORKFLOW / name) for name in CATALOG}


@pytest.fixture(scope="module")
def claims(catalog):
    return claims_of(catalog)


def rows_of(catalog, claims, files=()):
    return ledger_rows(claims, catalog["ledger"], Answers(files, catalog["published_training"]))


def test_the_catalog_of_the_ledger_fits_its_schema_and_lists_every_system_once(catalog, claims):
    for name in ("ledger", "published_values"):
        assert schema_problems(catalog[name], load_schema(WORKFLOW, name), where="") == []
    assert set(catalog["ledger"]["systems"]) == {claim.system for claim in claims}


def test_experiments_of_the_ledger_exist(catalog):
    named = {
        system["experiment"] for system in catalog["ledger"]["systems"].values() if "experiment" in system
    }
    assert all((WORKFLOW.parent / name).is_file() for name in named)


def test_no_two_claims_have_the_same_name(claims):
    assert [name for name, n in Counter(claim.name for claim in claims).items() if n > 1] == []


def test_the_study_prints_292_numbers(catalog, claims):
    """80 of ConSERT, 32 of SimCSE, 152 and 16 of the sweep, 12 of SG-BERT."""
    printed = Counter()
    trained = {row["model"] for row in catalog["published_similarity"]["sts"] if "trained" in row}
    for claim in claims:
        of_bert = claim.row in trained and claim.source.startswith(
            (f"{STUDY}, README", "ConSERT, README", "SimCSE (Gao")
        )
        if claim.system in ("ConSERT", "SimCSE") and of_bert:
            printed[claim.system] += 1
        elif claim.system == STUDY:
            part = "SG-BERT" if claim.data == "section sg-bert" else "sweep"
            printed[part if claim.column in ("dev", "test") else "geometry"] += 1
    assert printed == {"ConSERT": 80, "SimCSE": 32, "sweep": 152, "geometry": 16, "SG-BERT": 12}
    assert printed.total() == 292


def test_tables_of_other_programs_have_every_number(claims):
    """Five runs of the evaluator with four numbers each, 13 measurements of alignment, 22 collections."""
    found = Counter(claim.system for claim in claims)
    assert {
        "Published evaluator of Ulysses SentEval": 20,
        "Alignment and uniformity of all-MiniLM-L6-v2": 20,
        "BM25 on small collections": 88,
        "Cranfield, 225 questions": 16,
        "Recall on the Zalo subset": 32,
        "F2 on the Zalo subset": 12,
        "English rows of the sweep": 4,
    }.items() <= found.items()


def test_answers_of_printed_values_are_looked_up_by_names_of_the_experiments(catalog):
    """A name that no experiment of the ledger selects would leave its claims unanswered for ever."""
    named = {
        name
        for system in catalog["ledger"]["systems"].values()
        if (name := system.get("experiment", "")).startswith(("experiments/ledger", "experiments/zalo"))
    }
    selects = [read_yaml(WORKFLOW.parent / name)["select"] for name in sorted(named)]
    known = {name for select in selects for names in select.values() for name in names}
    of_sweeps = {catalog["published_values"]["english-reductions"]["title"]}
    for table in catalog["published_values"].values():
        for row in table["rows"]:
            if table["title"] not in of_sweeps:
                assert set(row.get("ours", [])) <= known, row["row"]


def test_a_printed_average_that_its_cells_do_not_give_is_registered(catalog):
    """Of any row with all seven sets; a cell in doubt is registered in the place of the average."""
    for row in catalog["published_similarity"]["sts"]:
        if "average" not in row or set(row["values"]) != set(SEVEN_TASKS):
            continue
        mean = fmean(row["values"].values())
        is_odd = abs(mean - row["average"]) > 0.005 + 1e-9
        assert is_odd == ("inconsistent" in row), (row["model"], row["source"], mean)


def test_reductions_of_the_published_sweep_are_the_printed_rows(catalog, claims):
    found = [row for row in rows_of(catalog, claims) if row.verdict != NOT_RUN]
    assert Counter(row.system for row in found) == {"KorSTS": 32, "English rows of the sweep": 4}
    assert {row.verdict for row in found} == {EQUAL}


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        (0.005, EQUAL),
        (-0.005, EQUAL),
        (0.0051, WITHIN),
        (-0.02, WITHIN),
        (0.021, OUTSIDE),
        (math.nan, NOT_RUN),
    ],
)
def test_half_a_unit_of_the_last_digit_is_equal_and_the_tolerance_is_within(difference, verdict):
    assert verdict_of(difference, 2, 0.02) == verdict


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
    text = markdown_text(ledger_table(found, "Title"))
    assert "| STS12 | ✓ | 72.37 | 72.370 [70.00, 74.00] | 0.000 | 0.02 | — |" in text
    assert "all-MiniLM-L6-v2" in latex_text(ledger_table(found, "Title"))


def test_a_cell_of_a_published_sweep_is_answered_by_the_training_of_ours_at_its_place(
    tmp_path, catalog, claims
):
    group = "contrastive-english.dropout.lr-3e-5.length-32"
    trained = replace(similarity_rows()[0], model=f"{group}.seed-42", pairs="STSB-dev", group="", value=0.81)
    write_rows(tmp_path / "similarity.parquet", type(trained), [trained])
    rows = rows_of(catalog, claims, [tmp_path / "similarity.parquet"])
    [found] = [row for row in rows if row.system == STUDY and row.verdict != NOT_RUN]
    assert (found.row, found.column) == ("bert-base wiki1m dropout 32 3e-05", "dev")
    assert (found.printed, found.ours, found.verdict) == (0.8186, 0.81, WITHIN)


def test_every_cell_of_the_study_has_a_training_of_ours_but_two(claims):
    """One is the encoder without training; the other was trained on texts of which only a name was published."""
    unanswered = {claim.row for claim in claims if claim.system == STUDY and not claim.kind}
    assert unanswered == {"m-bert - none 128 -", "ko-bert korean-news sg-opt 128 5e-05"}


def test_each_kind_of_printed_value_is_answered_by_its_summary(tmp_path, catalog, claims):
    """What other programs gave is handed over as ours, so that a name or a column that is wrong shows."""
    score = one_row(task="T1B-open", model="minilm-l6", mean=0.3876, std=0.0492, not_comparable="")
    write_rows(tmp_path / "scores.parquet", ScoreRow, [score])
    aligned = AlignmentRow(
        alignment_set="STSB-test", alignment_title="STS-B test", family="sts-english", pairs="STSB-test",
        model="minilm-l6", model_title="MiniLM", is_control=False, variant="definition", threshold=4,
        comparison="above", sentences="all", batch=0, alignment=0.2512, uniformity=-3.9, n_positive=231,
        n_sentences=2758, n_pairs=3801903, n_zero=0, data_version="raw",
    )  # fmt: skip
    write_rows(tmp_path / "alignments.parquet", AlignmentRow, [aligned])
    decided = DecisionRow(
        questions="zalo-subset-test", questions_title="Zalo", retriever="bm25-zalo", retriever_title="BM25",
        decision="first", decision_title="first", system="bm25-zalo/first", is_control=False, measure="F2",
        value=0.5209, low=0.43, high=0.61, level=0.95, f2_of_means=0.52, documents_per_question=1, n_questions=122,
        n_left_out=0, n_empty=0, parameters="most 1", tuned_on="", in_sample=math.nan, nested=math.nan,
        optimism=math.nan, n_candidates=1, n_within=1, within="", margin=0.01, data_version="raw", language="vi",
    )  # fmt: skip
    write_rows(tmp_path / "decisions.parquet", DecisionRow, [decided])
    files = [tmp_path / f"{name}.parquet" for name in ("scores", "alignments", "decisions")]
    found = {
        (row.system, row.column): row.verdict
        for row in rows_of(catalog, claims, files)
        if row.verdict != NOT_RUN and row.column not in ("KorSTS-dev", "KorSTS-test", "dev", "test")
    }
    evaluator, minilm = (
        "Published evaluator of Ulysses SentEval",
        "Alignment and uniformity of all-MiniLM-L6-v2",
    )
    assert found[evaluator, "mean"] == found[evaluator, "std"] == EQUAL
    assert (found[minilm, "alignment"], found[minilm, "uniformity"]) == (WITHIN, OUTSIDE)
    assert found["F2 on the Zalo subset", "F2"] == EQUAL


def test_scores_with_other_settings_than_the_published_ones_answer_nothing(tmp_path, catalog, claims):
    score = one_row(task="T1B-open", model="minilm-l6", not_comparable="2 repetitions")
    write_rows(tmp_path / "scores.parquet", ScoreRow, [score])
    rows = rows_of(catalog, claims, [tmp_path / "scores.parquet"])
    assert {row.verdict for row in rows if row.system.startswith("Published evaluator")} == {NOT_RUN}


def test_latex_of_the_ledger_has_no_letter_that_its_fonts_lack(catalog, claims):
    text = latex_text(ledger_table(rows_of(catalog, claims), "Title"))
    assert r"$\surd$" in text
    text.encode("cp1252")  # its letters are among those of T1


def test_groups_of_which_nothing_was_run_are_a_line_each_and_all_claims_are_in_the_csv_file(catalog, claims):
    rows = rows_of(catalog, claims)
    made = ledger_table(rows, "Title")
    *run, others = made.groups
    assert [group.title for group in run] == ["KorSTS", "English rows of the sweep"]
    assert others.title == "Not run; each number is in the CSV file"
    assert len(others.rows) == len({row.system for row in rows}) - 2
    assert len(made.tidy_rows) == len(rows)


@needs_tex
@pytest.mark.slow
@pytest.mark.parametrize("options", CLASSES)
def test_the_ledger_is_set_by_tex_and_nothing_is_wider_than_its_place(tmp_path, catalog, claims, options):
    assert complaints(tmp_path, [ledger_table(rows_of(catalog, claims), "Title")], options) == []


def test_a_claim_of_an_unlisted_system_is_refused(catalog, claims):
    with pytest.raises(DataError, match="'KorSTS' is missing"):
        systems = {name: entry for name, entry in catalog["ledger"]["systems"].items() if name != "KorSTS"}
        ledger_rows(
            claims,
            {"systems": systems, "differences": [], "expected": {}},
            Answers([], catalog["published_training"]),
        )


def test_a_difference_between_two_claims_has_an_effect_ratio(catalog, claims):
    both = [catalog["ledger"]["differences"][0][part] for part in ("claim", "baseline")]
    values = dict(zip(both, (0.7605, 0.1105), strict=True))
    rows = ledger_rows(
        claims,
        catalog["ledger"],
        lambda claim: Answer(values[claim.name]) if claim.name in values else NOTHING,
    )
    found = next(row for row in rows if " less " in row.row and row.system == "Questions of legalquad")
    assert found.printed == pytest.approx(0.6494)
    assert found.effect_ratio == pytest.approx(0.65 / 0.6494)


def test_a_value_that_moved_fails_the_check_and_one_without_entry_is_counted(catalog, claims):
    one, other = [catalog["ledger"]["differences"][0][part] for part in ("claim", "baseline")]
    values = {one: 0.7605, other: 0.1105}

    def problems(**expected):
        ledger = {**catalog["ledger"], "expected": expected}
        rows = ledger_rows(
            claims, ledger, lambda claim: Answer(values[claim.name]) if claim.name in values else NOTHING
        )
        found = check_ledger(Inputs.holding({LedgerRow: rows}), Selection())
        return found.problems, found.counts["claims_without_entry"]

    at_home = {name: {"value": value, "commit": "0" * 8, "why": "first"} for name, value in values.items()}
    assert problems(**at_home) == ([], 0)
    near = {**at_home, one: {**at_home[one], "value": 0.7609}}
    assert problems(**near) == ([], 0)
    moved = {**at_home, one: {**at_home[one], "value": 0.7611}}
    assert problems(**moved) == ([f"{one}: 0.7605, expected 0.7611"], 0)
    assert problems(**{other: at_home[other]}) == ([], 1)


def test_every_expected_value_is_of_a_claim_that_ours_answers(catalog, claims):
    answered = {claim.name for claim in claims if claim.kind}
    assert set(catalog["ledger"]["expected"]) <= answered
