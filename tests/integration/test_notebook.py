"""The notebook of the documentation: ten cells that run, with small outputs that a code host can show."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs/notebook.ipynb"
MOST_BYTES = 150_000


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(NOTEBOOK, as_version=4)


def test_it_is_a_notebook_of_ten_cells_of_code_with_small_outputs(notebook):
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) == 10
    assert [cell.execution_count for cell in code] == [*range(1, 11)]
    assert NOTEBOOK.stat().st_size < MOST_BYTES
    outputs = [output for cell in code for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not any(output.output_type == "error" for output in outputs)


@pytest.mark.slow
def test_every_cell_runs_after_those_before_it(notebook, tmp_path):
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    (tmp_path / "cells.py").write_text("\n\n".join(cells), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "cells.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Give the results folder of a run" in done.stdout
