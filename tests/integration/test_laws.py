"""Retrieval from generated files to the page, for real: what comes out is as the sample collection was constructed."""

import json
import re
from pathlib import Path

import pytest
from workflow_copy import REPOSITORY, copy_workflow, snakemake

from sentflow.files.rows import read_rows
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.texts.sample.collection import N_ASKED, N_COPIED, N_NEARLY_COPIED, OTHER_WORDS, SAME_WORDS

pytestmark = pytest.mark.slow

LAWS = REPOSITORY / "tests/fixtures/laws.yaml"
RETRIEVERS = ("bm25", "words", "both", "random-order")


@pytest.fixture(scope="module")
def laws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = copy_workflow(tmp_path_factory.mktemp("laws") / "project")
    outcome = snakemake(project, "--cores", "2", "--configfile", str(LAWS))
    assert outcome.code == 0, outcome.text[-6000:]
    return project


def test_scores_are_as_the_questions_were_constructed(laws):
    rows = read_rows(laws / "results/summary/retrieval.parquet", RetrievalRow)
    recall = {(row.retriever, row.group): row for row in rows if row.measure == "R@10"}
    assert {retriever for retriever, _ in recall} == set(RETRIEVERS)
    assert recall["bm25", SAME_WORDS].value > 0.9
    # no term in common: what is found of them is found by the commonest words alone
    assert recall["bm25", OTHER_WORDS].value < 0.2
    assert recall["random-order", ""].chance == pytest.approx(10 / 310)
    assert recall["random-order", ""].low <= 10 / 310 <= recall["random-order", ""].high
    assert recall["bm25", OTHER_WORDS].n_questions == N_ASKED[OTHER_WORDS]
    leaked, clean = (recall["bm25", group].n_questions for group in ("leaked", "clean"))
    assert (leaked, clean + leaked) == (N_COPIED + N_NEARLY_COPIED, recall["bm25", ""].n_questions)


def test_audit_check_tables_and_page_are_there(laws):
    results = laws / "results"
    audit = json.loads((results / "audit/retrieval/laws.json").read_text(encoding="utf-8"))
    assert audit["document_copies"] == {"documents": 20, "texts": 10}
    assert (audit["question_copies"]["texts"], len(audit["leaked"])) == (3, N_COPIED + N_NEARLY_COPIED)
    assert json.loads((results / "checks/retrieval.json").read_text(encoding="utf-8"))["passed"] is True
    groups = (results / "tables/retrieval-groups.md").read_text(encoding="utf-8")
    assert re.search(r"\| clean \| \d+ \|", groups)
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert "Copies of training questions" in page
    assert "sample data" in page


def test_a_second_run_does_nothing(laws):
    again = snakemake(laws, "-n", "--cores", "2", "--configfile", str(LAWS))
    assert (again.code, "Nothing to be done" in again.text) == (0, True), again.text[-3000:]
