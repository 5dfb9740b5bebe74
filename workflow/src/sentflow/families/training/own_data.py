"""Training data in short form: a file and its columns, written out as training data and a dataset of the catalog."""

from pathlib import PurePosixPath
from typing import Any

from sentflow.config.datasets import Dataset, File
from sentflow.config.entries import AllEntries, Entry
from sentflow.config.short_forms import (
    FORMAT_OF_ENDING,
    OWN,
    completed,
    format_of,
    picked,
    raw_name,
    replace_short,
)
from sentflow.config.training_data import Reader, ShortTrainingData, TrainingData
from sentflow.training.data.forms import LABELLED, PAIRS, SCORED, SCORES, TEXTS, TRIPLETS

_FORMATS = {
    ".txt": {"format": "lines"},
    **{end: form for end, form in FORMAT_OF_ENDING.items() if end != ".arff"},
}


def write_out(entries: AllEntries) -> dict[str, list[str]]:
    """Replace training data in short form by an entry and a dataset, in place; problems of those that stay, by name."""
    return replace_short(
        entries,
        "training_data",
        model=ShortTrainingData,
        noun="training data",
        is_short=is_short,
        problems=_short_problems,
        written_out=_written_out,
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


def _written_out(name: str, entry: Entry) -> tuple[Entry, Entry]:
    """The training data and the dataset that a short entry stands for."""
    file = raw_name(str(entry["file"]))
    full = completed(name, entry, short=ShortTrainingData, long=TrainingData)
    reader = picked(entry, Reader)
    # the delimiter that an ending tells belongs to the format that it tells
    told = {} if "format" in reader else format_of(str(entry["file"]), _FORMATS)
    written = {
        "form": _form(entry),
        **picked(full, TrainingData),
        "dataset": dataset_name(name),
        "reader": {**told, **reader, "files": [file]},
    }
    files = {file: {"urls": [entry["file"]], **picked(entry, File)}}
    return written, {**picked(full, Dataset), "files": files}


def _form(entry: Entry) -> str:
    """The form that the named columns tell."""
    if any(column in entry for column in SCORES):
        return SCORED
    if "nli" in entry or "negative" in entry:
        return TRIPLETS
    if "label" in entry:
        return LABELLED
    return PAIRS if "other" in entry else TEXTS
