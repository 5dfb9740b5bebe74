"""The notebook of the documentation: ten cells that run, with small outputs that a code host can show."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs/notebook.ipynb"


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.mark.nightly
def test_every_cell_runs_after_those_before_it(notebook, tmp_path):
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    (tmp_path / "cells.py").write_text("\n\n".join(cells), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "cells.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Give the results folder of a run" in done.stdout
