"""Examples of the documentation, word for word: files are written, commands and cells are run."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml
from workflow_copy import REPOSITORY, copy_workflow, ended, environment

pytestmark = pytest.mark.nightly

PAGES = ("docs/adding-a-task.md", "docs/own-encoder.md")
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"<!-- run -->\n```bash\n(.*?)```", re.DOTALL)
# The one thing that the test adds: fewer folds, for time.
QUICK = {"probe": {"repetitions": 2, "folds": 2}, "statistics": {"n_resamples": 200}}


def page(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def follow(project: Path, name: str) -> None:
    """Write the files of a page and run its commands."""
    for file, content in FILE.findall(page(name)):
        (project / file).parent.mkdir(exist_ok=True)
        (project / file).write_text(content, encoding="utf-8")
    (commands,) = COMMANDS.findall(page(name))
    done = ended(["bash", "-ec", commands], project, environment())
    assert done.code == 0, done.text


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_workflow(tmp_path_factory.mktemp("own") / "project")
    default = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    for section, keys in QUICK.items():
        default.setdefault(section, {}).update(keys)
    # The pages say nothing of them.
    default["select"].update(pair_sets=[], alignments=[], regressions=[], question_sets=[], retrievers=[])
    (folder / "config.yaml").write_text(yaml.safe_dump(default, allow_unicode=True), encoding="utf-8")
    for name in PAGES:
        follow(folder, name)
    return folder


def score(project: Path, model: str) -> dict:
    return json.loads((project / f"results/scores/Reviews/{model}.json").read_text(encoding="utf-8"))


def test_own_task_is_scored_by_known_encoders(project):
    scores = {model: score(project, model) for model in ("bag-of-words", "tfidf", "random")}
    assert {found["data_version"] for found in scores.values()} == {"Reviews"}
    assert scores["tfidf"]["mean"] > 0.7 > 0.3 > scores["random"]["mean"]


def test_own_encoders_are_scored_on_it(project):
    scores = {model: score(project, model) for model in ("letters", "keywords", "lengths")}
    assert [scores[model]["dimension"] for model in ("letters", "keywords", "lengths")] == [128, 15, 3]
    assert min(scores["letters"]["mean"], scores["keywords"]["mean"]) > 0.7
    assert {found["n_folds"] for found in scores.values()} == {4}


def test_they_stand_in_tables_figures_and_report(project):
    with (project / "results/tables/scores.csv").open(encoding="utf-8") as stream:
        cells = {cell for row in csv.reader(stream) for cell in row}
    assert {"letters", "keywords", "lengths"} <= cells
    assert "Own tasks" in (project / "results/tables/scores.md").read_text(encoding="utf-8")
    assert (project / "results/figures/heatmap.png").stat().st_size > 10_000
    html = (project / "results/report/index.html").read_text(encoding="utf-8")
    assert "CC BY 4.0" in html
    for check in (project / "results/checks").glob("*.json"):
        assert json.loads(check.read_text(encoding="utf-8"))["passed"] is True, check.stem


NOTEBOOK = Path(__file__).parents[2] / "docs/notebook.ipynb"


def run_cells(cells: list[str], folder: Path) -> str:
    (folder / "cells.py").write_text("\n\n".join(cells), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "cells.py"], cwd=folder, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_every_cell_runs_after_those_before_it(tmp_path):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    said = run_cells([cell.source for cell in notebook.cells if cell.cell_type == "code"], tmp_path)
    assert "Give the results folder of a run" in said


@pytest.mark.parametrize("name", ["python-api", pytest.param("geometry", marks=pytest.mark.mirror)])
def test_every_example_in_python_runs_after_those_before_it(name, tmp_path):
    run_cells(re.findall(r"```python\n(.*?)```", page(f"docs/{name}.md"), re.DOTALL), tmp_path)
