"""Training data in short form: a file and its columns, written out as training data and a dataset of the catalog."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from sentflow.graph.config.family import AllEntries, Entry
from sentflow.graph.config.schema import Schema
from sentflow.graph.config.short_forms import (
    FORMAT_OF_ENDING,
    OWN,
    completed,
    format_of,
    picked,
    properties,
    raw_name,
    replace_short,
)
from sentflow.training.data.forms import SCORES
from sentflow.training.recipes.table import LABELLED, PAIRS, SCORED, TEXTS, TRIPLETS

_FORMATS = {
    ".txt": {"format": "lines"},
    **{end: form for end, form in FORMAT_OF_ENDING.items() if end != ".arff"},
}


def write_out(entries: AllEntries, schema: Callable[[str], Schema]) -> dict[str, list[str]]:
    """Replace training data in short form by an entry and a dataset, in place; problems of those that stay, by name."""
    data, datasets = schema("training_data"), schema("datasets")
    return replace_short(
        entries,
        "training_data",
        data,
        definition="short_training_data",
        noun="training data",
        is_short=is_short,
        problems=_short_problems,
        written_out=lambda name, entry: _written_out(name, entry, data, datasets),
        dataset_name=dataset_name,
    )


def is_short(entry: Any) -> bool:
    """Whether an entry names its file itself, and so has the short form."""
    return isinstance(entry, dict) and "file" in entry


def dataset_name(data: str) -> str:
    """Name of the dataset of training data in short form."""
    return f"{OWN}-training-data-{data}"


def _short_problems(name: str, entry: Entry) -> list[str]:
    """What is wrong with a short entry that fits its schema, which cannot say it in these words."""
    where, file = f"training_data.{name}", str(entry["file"])
    problems = []
    if file.lower().startswith(("http://", "https://")) and "sha256" not in entry:
        problems.append(
            f"{where}.sha256: a file from the network needs its checksum. Write sha256: <64 digits>, as sha256sum "
            "prints them."
        )
    if "format" not in entry and not format_of(file, _FORMATS):
        problems.append(
            f"{where}.file: the ending of {PurePosixPath(file).name!r} is not that of a known format. Write format: "
            f"lines, csv, tsv, jsonl, json or parquet next to it; known endings are {', '.join(_FORMATS)}."
        )
    return problems


def _written_out(name: str, entry: Entry, data: Schema, datasets: Schema) -> tuple[Entry, Entry]:
    """The training data and the dataset that a short entry stands for."""
    file, long = raw_name(str(entry["file"])), properties(data, "training_data")
    full = completed(name, entry, short=properties(data, "short_training_data"), long=long)
    reader = picked(entry, properties(data, "reader"))
    # the delimiter that an ending tells belongs to the format that it tells
    told = {} if "format" in reader else format_of(str(entry["file"]), _FORMATS)
    written = {
        "form": _form(entry),
        **picked(full, long),
        "dataset": dataset_name(name),
        "reader": {**told, **reader, "files": [file]},
    }
    dataset = {
        **picked(full, properties(datasets, "dataset")),
        "files": {file: {"urls": [entry["file"]], **picked(entry, properties(datasets, "file"))}},
    }
    return written, dataset


def _form(entry: Entry) -> str:
    """The form that the named columns tell."""
    if any(column in entry for column in SCORES):
        return SCORED
    if "nli" in entry or "negative" in entry:
        return TRIPLETS
    if "label" in entry:
        return LABELLED
    return PAIRS if "other" in entry else TEXTS
