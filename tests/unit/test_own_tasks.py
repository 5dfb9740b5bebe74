"""The short form of a task: what it stands for, and what is said about a wrong one."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.files.checksums import CatalogFile
from sentflow.graph.config.experiment import Experiment, load_experiment
from sentflow.graph.targets import Targets
from sentflow.report.captions import family_name
from sentflow.texts.prepare import PrepareSettings, prepare

REPOSITORY = Path(__file__).parents[2]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
SIX_LINES = """
file: meus dados/comentários.tsv
text: texto
label: classe
metric: mcc
licence: CC BY 4.0
language: pt
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The working folder, with the file of `SIX_LINES`: 300 rows, two classes in words, non-ASCII texts."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "meus dados" / "comentários.tsv"
    file.parent.mkdir()
    rows = [f"não gostei {row}\truim" if row % 2 else f"ótimo, São {row}\tbom" for row in range(300)]
    file.write_text("\n".join(["texto\tclasse", *rows]) + "\n", encoding="utf-8")
    return tmp_path


def experiment(select: str = "Mine", **tasks: Any) -> Experiment:
    config = copy.deepcopy(DEFAULT)
    config["tasks"] = tasks
    config["select"]["tasks"] = [select]
    return load_experiment(config, REPOSITORY / "workflow")


def short(**changes: Any) -> dict[str, Any]:
    """`SIX_LINES` with values set; None leaves a key out."""
    entry = {**yaml.safe_load(SIX_LINES), **changes}
    return {key: value for key, value in entry.items() if value is not None}


def mistakes(*args: Any, **tasks: Any) -> list[str]:
    with pytest.raises(ConfigError) as error:
        experiment(*args, **tasks)
    return [line.removeprefix("  - ") for line in str(error.value).splitlines()[1:]]


def mistake(**tasks: Any) -> str:
    (only,) = mistakes(**tasks)
    return only


# --- what it stands for


def test_six_lines_are_a_task_and_a_dataset(folder):
    result = experiment(Mine=short(labels=["ruim", "bom"]))
    assert result.selected["tasks"]["Mine"] == {
        "title": "Mine",
        "family": "own",
        "metric": "mcc",
        "classifier": "logistic",
        "layout": "columns",
        "data_version": "Mine",
        "language": "pt",
        "published": False,
        "dataset": "own-mine",
        "reader": {
            "format": "csv",
            "delimiter": "\t",
            "file": "coment_rios.tsv",
            "text_a": "texto",
            "label": "classe",
            "labels": ["ruim", "bom"],
        },
    }
    assert result.entries["datasets"]["own-mine"] == {
        "title": "Mine",
        "files": {"coment_rios.tsv": {"urls": ["meus dados/comentários.tsv"]}},
        "licence": "CC BY 4.0",
        "citation": "none",
        "language": "pt",
    }
    assert family_name("own") == "Own tasks"


def test_the_rows_are_read_as_the_lines_say(folder):
    targets = Targets(experiment(Mine=short(labels=["ruim", "bom"])))

    class Job:
        task, dataset, file = "Mine", "own-mine", "coment_rios.tsv"

    assert targets.local_files(Job) == ["meus dados/comentários.tsv"]
    CatalogFile.from_settings(json.loads(targets.download_settings(Job)), where="")
    settings = json.loads(targets.families["probing"].prepare_settings(Job)) | json.loads(
        targets.families["probing"].prepare_checks(Job)
    )
    raw = folder / "coment_rios.tsv"
    raw.write_bytes((folder / "meus dados" / "comentários.tsv").read_bytes())
    table = prepare("Mine", [raw], PrepareSettings.from_settings(settings, task="Mine"))
    assert (len(table), table.info.layout, table.info.classes) == (300, "single", ["0", "1"])
    assert table.text_a[:2] == ["ótimo, São 0", "não gostei 1"]
    assert table.labels[:4].tolist() == [1, 0, 1, 0]  # ruim is the first of the list, so class 0


def test_what_is_said_goes_before_what_is_assumed(folder):
    said = {
        "title": "Comentários",
        "family": "Health",
        "classifier": "mlp",
        "layout": "single",
        "data_version": "v2",
    }
    entry = experiment(Mine=short(**said, citation="Silva 2020", rows=300)).selected["tasks"]["Mine"]
    assert {key: entry[key] for key in said} == said
    assert entry["rows"] == 300


@pytest.mark.parametrize(
    ("file", "reader"),
    [
        ("a.csv", {"format": "csv"}),
        ("a.JSONL", {"format": "jsonl"}),
        ("a.parquet", {"format": "parquet"}),
        ("a.arff", {"format": "arff"}),
        ("a.csv.zip", {"format": "csv"}),
        (".a b.tab", {"format": "csv", "delimiter": "\t"}),
    ],
)
def test_the_ending_tells_the_format(folder, file, reader):
    (folder / file).write_text("", encoding="utf-8")
    entry = experiment(Mine=short(file=file)).selected["tasks"]["Mine"]["reader"]
    assert {key: entry[key] for key in reader} == reader
    assert " " not in entry["file"] and not entry["file"].startswith(".")


def test_an_address_needs_a_checksum_and_no_file_here():
    file = "https://example.org/dados/a.csv?raw=1"
    assert mistake(Mine=short(file=file)).startswith("tasks.Mine.sha256: a file from the network needs its")
    found = experiment(Mine=short(file=file, sha256="0" * 64)).entries["datasets"]["own-mine"]["files"]
    assert found == {"a.csv": {"urls": [file], "sha256": "0" * 64}}


def test_a_second_task_on_the_same_file_shares_its_texts(folder):
    other = {"like": "Mine", "title": "Other", "label": "outra"}
    result = experiment("Other", Mine=short(), Other=other)
    assert result.selected["tasks"]["Other"]["reader"]["label"] == "outra"
    assert result.selected["tasks"]["Other"]["reader"]["text_a"] == "texto"
    assert list(Targets(result).collections["own-mine"].tables) == [
        "results/data/tasks/Mine.parquet",
        "results/data/tasks/Other.parquet",
    ]


# --- what is said about wrong ones


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"metric": None}, ["tasks.Mine: 'metric' is a required property"]),
        ({"licence": None}, ["tasks.Mine: 'licence' is a required property"]),
        ({"text": None}, ["tasks.Mine.text: there is no column for the texts", "text: <column>"]),
        ({"text_a": "x"}, ["tasks.Mine.text: text and text_a are the same column"]),
        ({"labell": "x"}, ["tasks.Mine.labell: there is no such key", "Did you mean label?"]),
        ({"file": "meus dados/x.csv"}, ["tasks.Mine.file: there is no file meus dados/x.csv", "relative to"]),
        ({"file": "a.xlsx"}, ["'a.xlsx' is not that of a known format", "format: csv", ".jsonl"]),
        ({"labels": [False, True]}, ["tasks.Mine.labels", "quotes"]),
        ({"family": "helth"}, ["tasks.Mine.family: 'helth' does not match", "heading of your own"]),
        ({"metric": "f1"}, ["tasks.Mine.metric: 'f1' is not one of ['mcc', 'adjusted_macro_f1']"]),
        ({"like": "T1A"}, ["tasks.Mine.like: there is no such key"]),
    ],
)
def test_a_mistake_is_told_once_in_the_terms_of_the_short_form(folder, changes, parts):
    told = mistakes(Mine=short(**changes))
    for part in parts:
        assert part in " ".join(told)
    # neither twice nor as a mistake of the task and the dataset that the entry stands for
    assert len(told) == (2 if "labels" in changes else 1)
    assert "own-mine" not in " ".join(told) and "reader" not in " ".join(told)


def test_two_tasks_whose_names_differ_in_case_are_not_one_dataset(folder):
    assert "own-mine, which already exists" in " ".join(mistakes(Mine=short(), mine=short()))


def test_a_file_that_was_copied_already_may_be_gone(folder):
    copied = folder / "results/data/raw/own-mine/gone.csv"
    copied.parent.mkdir(parents=True)
    copied.write_text("", encoding="utf-8")
    assert experiment(Mine=short(file="gone.csv")).selected["tasks"]["Mine"]["dataset"] == "own-mine"


def test_a_file_is_looked_for_only_where_the_task_is_selected(folder):
    assert list(experiment("T1A-sample", Mine=short(file="nowhere.csv")).selected["tasks"]) == ["T1A-sample"]
