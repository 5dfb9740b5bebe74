"""Names that a shell would run: folders, files of data and of settings with spaces, quotes and commands in them."""

import json
from pathlib import Path

import pytest
import yaml
from workflow_copy import REPOSITORY, TINY, command_line, copy_workflow, snakemake

from sentflow.cli.configuration import read_configuration
from sentflow.config.load import load_experiment
from sentflow.errors import ConfigError

FOLDER = 'it\'s "my" $(touch by-folder) `touch by-quote`; touch by-semicolon & folder'
SCORES = "results/scores/MINE/random.json"
ROWS = "".join(f"{row},Votação número {row},{row % 2}\n" for row in range(400))
# Of Python, and of packages: nothing imports what lies in the working folder
MODULES = ("types", "random", "yaml", "numpy", "snakemake", "sentflow", "sitecustomize")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_workflow(tmp_path_factory.mktemp("hostile") / FOLDER)


def own_config(file: str) -> dict:
    """One task on a file of this machine, one encoder, titles that would run in a shell."""
    # braces too, which Snakemake fills in wherever it is given a text and no function
    evil = "$(touch by-title) '; touch by-quote; \" `touch by-backtick` {x} {wildcards.model} {"
    return {
        "experiment": {"title": evil, "description": evil},
        "datasets": {
            "mine": {
                **{"title": evil, "licence": evil, "citation": "none", "language": "pt"},
                "files": {"rows.csv": {"urls": [file]}},
            }
        },
        "tasks": {
            "MINE": {
                **{"like": "T1B", "title": evil, "layout": "single", "dataset": "mine", "data_version": evil},
                "reader": {"format": "csv", "file": "rows.csv", "text_a": "text", "label": "label"},
            }
        },
        "select": {"tasks": ["MINE"], "models": ["random"]},
    }


def touched(*folders: Path) -> list[str]:
    """Files that only a command hidden in a name can have made."""
    return [str(file) for folder in folders for file in folder.rglob("by-*") if file.is_file()]


@pytest.mark.slow
def test_a_whole_run_in_a_folder_with_a_command_in_its_name(project, tmp_path):
    data = project.parent / "dados; touch by-data $(touch by-data)" / 'l\'été "x" $(touch by-file).csv'
    data.parent.mkdir()
    data.write_text(",text,label\n" + ROWS, encoding="utf-8")
    config = project / "my $(touch by-config) 'settings'.yaml"
    config.write_text(yaml.safe_dump(own_config(str(data)), allow_unicode=True), encoding="utf-8")
    # the working folder has braces too, which Snakemake reads as wildcards elsewhere
    directory = project / "work {x} $(touch by-work) it's"
    directory.mkdir()
    for name in MODULES:
        (directory / f"{name}.py").write_text(f"open({str(tmp_path / 'by-module')!r}, 'w')\n", "utf-8")
    arguments = ("--directory", str(directory), "--configfile", str(TINY), str(config))
    record = ("results/record/config.yaml", "results/tables/tasks.csv", "results/exports/numbers.tex")
    outcome = snakemake(project, SCORES, *record, "--cores", "1", *arguments)
    assert outcome.code == 0, outcome.text[-6000:]
    assert json.loads((directory / SCORES).read_text(encoding="utf-8"))["n_folds"] == 4
    assert touched(project.parent, tmp_path) == []


@pytest.mark.slow
def test_settings_are_data_and_never_run(project, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("experiment: {title: !!python/object/apply:os.system ['touch by-yaml']}\n", "utf-8")
    outcome = command_line(project, "-n", "--configfile", str(TINY), str(file))
    assert outcome.code != 0
    assert touched(project, tmp_path) == []


def test_validate_reads_as_data_what_snakemake_would_run(tmp_path, monkeypatch):
    # Snakemake itself runs such a file before the workflow can look at it (SECURITY.md says so)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "foreign.yaml"
    file.write_text("__use_yte__: true\nexperiment:\n  title: ?__import__('os').system('touch by-yte')\n")
    with pytest.raises(ConfigError, match="__use_yte__"):
        load_experiment(read_configuration([file], alone=False), REPOSITORY / "workflow")
    assert touched(tmp_path) == []
