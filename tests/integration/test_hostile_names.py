"""Names that a shell would run: folders, files of data and of settings with spaces, quotes and commands in them."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from workflow_copy import REPOSITORY, TINY, Outcome, command_line, copy_workflow, snakemake

from sentflow.cli.configuration import read_configuration
from sentflow.errors import ConfigError
from sentflow.graph.config.experiment import load_experiment

pytestmark = pytest.mark.slow

FOLDER = 'it\'s "my" $(touch by-folder) `touch by-quote`; touch by-semicolon & folder'
SCORES = "results/scores/MINE/random.json"
ROWS = "".join(f"{row},Votação número {row},{row % 2}\n" for row in range(400))


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
                "title": evil,
                "files": {"rows.csv": {"urls": [file]}},
                "licence": evil,
                "citation": "none",
                "language": "pt",
            }
        },
        "tasks": {
            "MINE": {
                "like": "T1B",
                "title": evil,
                "layout": "single",
                "dataset": "mine",
                "data_version": evil,
                "reader": {"format": "csv", "file": "rows.csv", "text_a": "text", "label": "label"},
            }
        },
        "select": {"tasks": ["MINE"], "models": ["random"]},
    }


def touched(*folders: Path) -> list[str]:
    """Files that only a command hidden in a name can have made."""
    return [str(file) for folder in folders for file in folder.rglob("by-*") if file.is_file()]


def test_a_whole_run_in_a_folder_with_a_command_in_its_name(project, tmp_path):
    data = project.parent / "dados; touch by-data $(touch by-data)" / 'l\'été "x" $(touch by-file).csv'
    data.parent.mkdir()
    data.write_text(",text,label\n" + ROWS, encoding="utf-8")
    config = project / "my $(touch by-config) 'settings'.yaml"
    config.write_text(yaml.safe_dump(own_config(str(data)), allow_unicode=True), encoding="utf-8")
    # the working folder has braces too, which Snakemake reads as wildcards elsewhere
    directory = project / "work {x} $(touch by-work) it's"
    directory.mkdir()
    arguments = ("--directory", str(directory), "--configfile", str(TINY), str(config))
    record = ("results/record/config.yaml", "results/tables/tasks.csv", "results/exports/numbers.tex")
    assert command_line(project, SCORES, "-n", *arguments).code == 0
    outcome = snakemake(project, SCORES, *record, "--cores", "1", *arguments)
    assert outcome.code == 0, outcome.text[-6000:]
    assert json.loads((directory / SCORES).read_text(encoding="utf-8"))["n_folds"] == 4
    assert touched(project.parent, tmp_path) == []


def test_a_workflow_in_a_folder_with_braces_is_refused(project, tmp_path):
    braced = tmp_path / "a {b} folder"
    shutil.copytree(project, braced, ignore=shutil.ignore_patterns("results", ".snakemake", "work *"))
    outcome = command_line(braced, "-n", "--configfile", str(TINY))
    assert outcome.code == 1
    assert "Snakemake reads braces in the path of a workflow" in outcome.text
    assert "Traceback" not in outcome.text


def planned_with(project: Path, folder: Path, text: str) -> Outcome:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return command_line(project, "-n", "--configfile", str(TINY), str(file))


@pytest.mark.parametrize(
    ("section", "entry"),
    [
        ("models", "{kind: random, dimension: 4}"),
        ("tasks", "{like: T1B-sample}"),
        ("datasets", "{title: x, files: {}, licence: MIT, citation: none, language: pt}"),
        ("protocols", "{like: published}"),
    ],
)
@pytest.mark.parametrize(
    "name", ["a; touch by-name", "$(touch by-name)", "../../by-name", "a b", "a'b", "-n"]
)
def test_names_that_are_no_names_are_refused(tmp_path, section, entry, name):
    file = tmp_path / "mine.yaml"
    file.write_text(f"{section}:\n  {json.dumps(name)}: {entry}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_experiment(read_configuration([file]), REPOSITORY / "workflow")
    assert name in str(error.value) and section in str(error.value)


def test_a_name_that_is_a_command_is_refused_before_any_job(project, tmp_path):
    outcome = planned_with(
        project,
        tmp_path,
        "models: {'a; touch by-name': {kind: random, dimension: 4}}\n"
        "select: {models: ['a; touch by-name']}\n",
    )
    assert outcome.code == 1
    assert "'a; touch by-name' does not match '^[a-z0-9][a-z0-9.-]*\\\\Z'" in outcome.text
    assert "Traceback" not in outcome.text
    assert touched(project, tmp_path) == []


def test_braces_in_titles_hinder_no_target(project, tmp_path):
    title = {"title": "A {title} of {x}, {input[0]} {"}
    models = {"random": title, "tfidf": title}
    text = yaml.safe_dump({"experiment": title, "models": models, "tasks": {"T1B-tiny": title}})
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    arguments = ("--configfile", str(TINY), str(tmp_path / "mine.yaml"))
    outcome = command_line(project, "all", "exports", "-n", *arguments)
    assert outcome.code == 0, outcome.text[-3000:]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('experiment: {title: "a\\rb"}', "character 2 is"),
        ('experiment: {title: "a\\u202Eb"}', "character 2 is"),
        ('models: {"mine\\n": {kind: random, dimension: 4}}', "it contains a line break"),
        ("datasets: {mine: {title: x, files: {a.csv: {urls: ['{x}/a.csv']}}}}", "Snakemake reads braces"),
        ("models: {x.predictions: {kind: random, dimension: 4}}", "taken for the predictions of x"),
        ("statistics: {rope: .inf}", "not a finite number"),
    ],
)
def test_words_that_break_the_machine_are_told_before_any_job(project, tmp_path, text, message):
    outcome = planned_with(project, tmp_path, text + "\n")
    assert outcome.code == 1
    assert message in outcome.text
    assert "Traceback" not in outcome.text


@pytest.mark.parametrize(
    "text",
    [
        "experiment: {title: !!python/object/apply:os.system ['touch by-yaml']}",
        "experiment: !!python/name:os.system",
    ],
)
def test_settings_are_data_and_never_run(project, tmp_path, text):
    outcome = planned_with(project, tmp_path, text + "\n")
    assert outcome.code != 0
    assert touched(project, tmp_path) == []


def test_validate_reads_as_data_what_snakemake_would_run(project, tmp_path, monkeypatch):
    # Snakemake itself runs such a file before the workflow can look at it (SECURITY.md says so)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "foreign.yaml"
    file.write_text("__use_yte__: true\nexperiment:\n  title: ?__import__('os').system('touch by-yte')\n")
    with pytest.raises(ConfigError, match="config.__use_yte__: there is no such key"):
        load_experiment(read_configuration([file], alone=False), project / "workflow")
    assert touched(project, tmp_path) == []


def test_a_file_of_data_cannot_lie_outside_of_the_results(project, tmp_path):
    outcome = planned_with(
        project,
        tmp_path,
        "datasets: {mine: {title: x, files: {../../by-path: {urls: [/etc/hosts]}}, licence: MIT, citation: none, "
        "language: pt}}\n",
    )
    assert outcome.code == 1
    assert "../../by-path" in outcome.text
