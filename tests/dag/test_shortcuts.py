"""With and without the shortcuts through Snakemake's graph, the same jobs are planned."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from workflow_copy import PACKAGE, copy_workflow, planned

ONE_FOLD = Path("results/probes/T1B-tiny/random/rep-1/fold-1.parquet")


@pytest.fixture
def without(project, tmp_path) -> Path:
    """The same finished project in another folder, with Snakemake as it comes."""
    other = Path(shutil.copytree(project, tmp_path / "without"))
    return as_it_comes(other)


def as_it_comes(project: Path) -> Path:
    """A project whose Snakefile takes no shortcuts."""
    rules = project / "workflow" / "rules" / "common.smk"
    text = rules.read_text(encoding="utf-8")
    assert text.count("\ntake_shortcuts()\n") == 1
    rules.write_text(text.replace("\ntake_shortcuts()\n", "\n"), encoding="utf-8")
    return project


def add_a_line(project: Path, module: str) -> None:
    """Change the code of a module of the package."""
    with (project / PACKAGE / module).open("a", encoding="utf-8") as stream:
        stream.write("\n_ADDED_BY_A_TEST = 1\n")


EDITS = {
    "the statistics of scores": lambda project: add_a_line(project, "commands/score.py"),
    "what embeds texts": lambda project: add_a_line(project, "commands/embed.py"),
    "one table": lambda project: add_a_line(project, "report/costs/encoders_table.py"),
    "a fold is gone": lambda project: (project / ONE_FOLD).unlink(),
    "a digest has changed": lambda project: next((project / "results/data/tasks").glob("*.json")).write_text(
        "other content", encoding="utf-8"
    ),
    "what is known of a job is gone": lambda project: shutil.rmtree(project / ".snakemake" / "metadata"),
}
CONFIGS = {
    "other folds": {"probe": {"folds": 3}},
    "jobs of one fold": {"probe": {"job": "fold"}},
    "another seed": {"probe": {"seed": 77}},
    "a protocol to compare with": {
        "study": {"protocols": ["corrected"]},
        "report": {"tables": ["protocols"]},
    },
}
TARGETS = {
    "a rule": ["tables"],
    "a log": ["results/logs/score/T1B-tiny/random.log"],
    "a benchmark": ["results/benchmarks/score/T1B-tiny/random.jsonl"],
    "one fold": [str(ONE_FOLD)],
}
# Beside each of them stands another that takes the same shortcuts.
SLOW = ("what embeds texts", "another seed", "a log", "a benchmark")


def cases(of: dict[str, Any]) -> list[Any]:
    """Cases by name, some of them marked as slow."""
    return [
        pytest.param(case, id=name, marks=pytest.mark.slow if name in SLOW else ())
        for name, case in of.items()
    ]


@pytest.mark.parametrize("edit", cases(EDITS))
def test_after_an_edit(project, without, edit):
    for folder in (project, without):
        edit(folder)
    assert planned(project) == planned(without)


@pytest.mark.parametrize("config", cases(CONFIGS))
def test_with_another_configuration(project, without, config):
    assert planned(project, config) == planned(without, config)


@pytest.mark.parametrize("targets", cases(TARGETS))
def test_for_other_targets_of_an_empty_folder(tmp_path, targets):
    new = copy_workflow(tmp_path / "with")
    plain = as_it_comes(copy_workflow(tmp_path / "without"))
    jobs = planned(new, targets=targets)
    assert jobs == planned(plain, targets=targets)
    assert jobs
