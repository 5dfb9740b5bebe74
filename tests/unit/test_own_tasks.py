"""The short form of a task: what it stands for, and what is said about a wrong one."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from experiments import experiment

from sentflow.config.experiment import Experiment
from sentflow.errors import ConfigError

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


def of_tasks(**tasks: Any) -> Experiment:
    """With these tasks alone, all of them selected."""
    return experiment({"tasks": tasks, "select": {"tasks": list(tasks)}})


def short(**changes: Any) -> dict[str, Any]:
    """`SIX_LINES` with values set; None leaves a key out."""
    entry = {**yaml.safe_load(SIX_LINES), **changes}
    return {key: value for key, value in entry.items() if value is not None}


def test_six_lines_are_a_task_and_a_dataset(folder):
    result = of_tasks(Mine=short(labels=["ruim", "bom"]))
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


def test_the_ending_tells_the_format_and_an_address_needs_no_file_here(folder):
    address = "https://example.org/dados/a.csv?raw=1"
    readers = {
        "a.csv": {"format": "csv"},
        "a.JSONL": {"format": "jsonl"},
        "a.parquet": {"format": "parquet"},
        "a.arff": {"format": "arff"},
        "a.csv.zip": {"format": "csv"},
        ".a b.tab": {"format": "csv", "delimiter": "\t"},
    }
    for file in readers:
        (folder / file).write_text("", encoding="utf-8")
    own = {f"M{place}": short(file=file) for place, file in enumerate(readers)}
    result = of_tasks(**own, Remote=short(file=address, sha256="0" * 64))
    for name, expected in zip(own, readers.values(), strict=True):
        entry = result.selected["tasks"][name]["reader"]
        assert {key: entry[key] for key in expected} == expected, entry
        assert " " not in entry["file"] and not entry["file"].startswith(".")
    files = result.entries["datasets"]["own-remote"]["files"]
    assert files == {"a.csv": {"urls": [address], "sha256": "0" * 64}}


def test_a_mistake_is_told_once_in_the_terms_of_the_short_form(folder):
    wrong: list[tuple[dict[str, Any], str, str]] = [
        ({"metric": None}, "", "'metric'"),
        ({"licence": None}, "", "'licence'"),
        ({"text": None}, ".text", "text: <column>"),
        ({"text_a": "x"}, ".text", "text_a"),
        ({"labell": "x"}, ".labell", "Did you mean label?"),
        ({"file": "meus dados/x.csv"}, ".file", "meus dados/x.csv"),
        ({"file": "a.xlsx"}, ".file", "format: csv"),
        ({"file": "https://example.org/a.csv"}, ".sha256", "checksum"),
        ({"family": "helth"}, ".family", "'helth'"),
        ({"metric": "f1"}, ".metric", "'f1'"),
        ({"like": "T1A"}, ".like", "no such key"),
    ]
    with pytest.raises(ConfigError) as error:
        of_tasks(**{f"M{place}": short(**changes) for place, (changes, _, _) in enumerate(wrong)})
    told = [line.removeprefix("  - ") for line in str(error.value).splitlines()[1:]]
    for place, (_, key, word) in enumerate(wrong):
        # neither twice nor as a mistake of the task and the dataset that the entry stands for
        (line,) = [line for line in told if line.startswith((f"tasks.M{place}:", f"tasks.M{place}."))]
        assert line.startswith(f"tasks.M{place}{key}: ") and word in line
    assert len(told) == len(wrong)


def test_labels_that_yaml_reads_as_truth_values_and_names_of_one_dataset_are_told(folder):
    with pytest.raises(ConfigError, match=r"tasks\.Mine\.labels.*quotes"):
        of_tasks(Mine=short(labels=[False, True]))
    with pytest.raises(ConfigError, match="own-mine"):
        of_tasks(Mine=short(), mine=short())
