"""Cheap claims of the ledger on real data: BM25 on German court decisions gives what the catalog expects.

`experiments/ledger.yaml` runs all claims that can be run; docs/ledger.md has what came out.
"""

from pathlib import Path

import pytest
import yaml
from workflow_copy import REPOSITORY, copy_workflow, snakemake

from sentflow.files.rows import read_rows
from sentflow.ledger.verdicts import NOT_RUN, LedgerRow

pytestmark = [pytest.mark.slow, pytest.mark.mirror]

OVER = {
    "select": {
        "models": ["random"],
        "tasks": [],
        "pair_sets": [],
        "alignments": [],
        "question_sets": ["legalquad"],
        "retrievers": ["bm25"],
    },
    "report": {"tables": ["ledger"], "figures": [], "checks": ["ledger"]},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory, mirror) -> Path:
    project = copy_workflow(tmp_path_factory.mktemp("ledger") / "project")
    over = project / "over.yaml"
    over.write_text(yaml.safe_dump({**OVER, "mirrors": [str(mirror)]}), encoding="utf-8")
    experiment = REPOSITORY / "experiments/ledger.yaml"
    outcome = snakemake(project, "--cores", "2", "--configfile", str(experiment), str(over), "--", "ledger")
    assert outcome.code == 0, outcome.text[-6000:]
    return project / "results"


def test_what_was_run_is_what_the_catalog_expects(results):
    rows = read_rows(results / "summary/ledger.parquet", LedgerRow)
    run = [row for row in rows if row.verdict != NOT_RUN and row.system == "Questions of legalquad"]
    assert {row.column for row in run} == {"nDCG@10", "R@10", "R@100"}
    assert not any(row.moved for row in run)
    assert all(row.expected == row.expected for row in run)


def test_table_check_and_page_have_the_ledger(results):
    for name in ("tables/ledger.csv", "tables/ledger.md", "tables/ledger.tex", "checks/ledger.json"):
        assert (results / name).is_file()
    assert "Published numbers" in (results / "report/index.html").read_text(encoding="utf-8")
