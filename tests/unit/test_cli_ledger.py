"""`sentflow ledger`: what moved, and new expected values written without touching the rest of the catalog."""

import json
import math
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from sentflow.cli import ledger as command
from sentflow.cli.app import app
from sentflow.config.entries import read_yaml
from sentflow.families.ledger import CATALOG
from sentflow.files.rows import write_rows
from sentflow.ledger.answers import NOTHING
from sentflow.ledger.claims import claims_of
from sentflow.ledger.verdicts import WITHIN, LedgerRow, ledger_rows

WORKFLOW = Path(__file__).parents[2] / "workflow"
TEXT = (WORKFLOW / "catalog/ledger.yaml").read_text(encoding="utf-8")
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def rows():
    """All claims of the catalog; one moved, one that has no entry, one as expected; none of the others was run."""
    catalog = {Path(name).stem: read_yaml(WORKFLOW / name) for name in CATALOG}
    every = ledger_rows(claims_of(catalog), catalog["ledger"], lambda _: NOTHING)
    known = [row for row in every if row.expected == row.expected]
    new = next(row for row in every if row.expected != row.expected and not row.is_difference)
    run = {
        known[0].name: replace(known[0], ours=known[0].expected + 1, moved=True, verdict=WITHIN),
        known[1].name: replace(known[1], ours=known[1].expected, moved=False, verdict=WITHIN),
        new.name: replace(new, ours=0.25, expected=math.nan, moved=False, verdict=WITHIN),
    }
    return [run.get(row.name, row) for row in every], known[0], known[1], new


@pytest.fixture
def run(tmp_path, monkeypatch, rows):
    """Function: the command on a run, with a copy of the catalog that it may write."""
    results = tmp_path / "results"
    (results / "summary").mkdir(parents=True)
    (results / "record").mkdir()
    write_rows(results / "summary/ledger.parquet", LedgerRow, rows[0])
    shutil.copytree(WORKFLOW / "catalog", tmp_path / "workflow/catalog")
    monkeypatch.setattr(command, "workflow_folder", lambda: tmp_path / "workflow")

    def told(*arguments, git=None):
        (results / "record/versions.json").write_text(json.dumps({"git": git}))
        found = CliRunner().invoke(app, ["ledger", str(results), *arguments], env={"COLUMNS": "300"})
        return found.exit_code, found.output, (tmp_path / "workflow/catalog/ledger.yaml").read_text("utf-8")

    return told


def test_moved_and_new_values_are_named_and_accepted_with_a_reason_and_nothing_else_changes(run, rows):
    _, moved, as_expected, new = rows
    code, output, text = run()
    assert (code, text) == (0, TEXT)
    assert moved.name in output and new.name in output and as_expected.name not in output
    clean = {"commit": COMMIT, "dirty": False}
    code, _, text = run("--accept", "--why", "it's another: processor", git=clean)
    assert code == 0
    before, after = (yaml.safe_load(one) for one in (TEXT, text))
    entry = {"commit": COMMIT[:8], "why": "it's another: processor"}
    assert after.pop("expected") == before.pop("expected") | {
        moved.name: {"value": pytest.approx(moved.expected + 1, abs=1e-3), **entry},
        new.name: {"value": 0.25, **entry},
    }
    assert after == before
    old, lines = Counter(TEXT.splitlines()), Counter(text.splitlines())
    assert ((old - lines).total(), (lines - old).total()) == (1, 3)
    assert text.startswith(TEXT[: TEXT.index("expected:")])


def test_without_a_reason_or_a_commit_of_the_run_nothing_is_accepted(run):
    git = {"commit": COMMIT, "dirty": True}
    assert run("--accept", "--why", " ", git={"commit": COMMIT, "dirty": False})[::2] == (2, TEXT)
    code, output, text = run("--accept", "--why", "first run", git=git)
    assert (code, text) == (2, TEXT)
    assert "--commit" in output
    assert run("--accept", "--why", "first run", "--commit", "abc", git=git)[0] == 2
    code, _, text = run("--accept", "--why", "first run", "--commit", COMMIT, git=git)
    assert code == 0 and text != TEXT
