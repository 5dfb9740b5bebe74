"""Tasks in short form: a file and its columns, written out as a task and a dataset of the catalog.

Standard library only: the Snakefile imports this module in every job.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from sentflow.files.archives.limits import without_ending

Entry = dict[str, Any]

OWN = "own"  # family of tasks that say nothing else; begins the names of their datasets
# Ending of a file → what its reader is told.
FORMAT_OF_ENDING: Mapping[str, Mapping[str, str]] = {
    ".csv": {"format": "csv"},
    ".tsv": {"format": "csv", "delimiter": "\t"},
    ".tab": {"format": "csv", "delimiter": "\t"},
    ".jsonl": {"format": "jsonl"},
    ".ndjson": {"format": "jsonl"},
    ".parquet": {"format": "parquet"},
    ".arff": {"format": "arff"},
}
_READER_KEYS = (
    "format",
    "text_a",
    "text_b",
    "label",
    "labels",
    "group",
    "delimiter",
    "quoting",
    "encoding",
    "member",
)
_DATASET_KEYS = ("licence", "citation", "homepage", "note", "language")
_FILE_KEYS = ("sha256", "bytes")
_TASK_KEYS = (
    "title",
    "family",
    "metric",
    "classifier",
    "layout",
    "data_version",
    "language",
    "offensive",
    "note",
)
_EXPECTED_KEYS = ("rows", "class_counts")


def is_short(entry: Any) -> bool:
    """Whether an entry of ``tasks`` names its file itself, and so has the short form."""
    return isinstance(entry, dict) and "file" in entry


def short_problems(name: str, entry: Mapping[str, Any]) -> list[str]:
    """What the schema of the short form cannot tell, one sentence each."""
    problems = []
    if "text" in entry and "text_a" in entry:
        problems.append(f"tasks.{name}.text: text and text_a are the same column. Write one of them.")
    if "text" not in entry and "text_a" not in entry:
        problems.append(
            f"tasks.{name}.text: no column of texts is named. Write text: <column>, or text_a: and text_b: "
            "for a pair."
        )
    file = entry.get("file")
    if isinstance(file, str) and file.lower().startswith(("http://", "https://")) and "sha256" not in entry:
        problems.append(
            f"tasks.{name}.sha256: a file from the network needs its checksum. Write sha256: <64 digits>, as sha256sum "
            "prints them."
        )
    if isinstance(file, str) and "format" not in entry and _format(file) is None:
        problems.append(
            f"tasks.{name}.file: the ending of {PurePosixPath(file).name!r} tells no format. Write format: csv, "
            f"jsonl, parquet or arff beside it; known endings are {', '.join(FORMAT_OF_ENDING)}."
        )
    return problems


def missing_file(name: str, entry: Mapping[str, Any], copy: Path) -> list[str]:
    """A problem if a short entry's file of this machine is neither there nor copied already."""
    file = str(entry["file"])
    path = Path(file.removeprefix("file://")).expanduser()
    if ("://" in file and not file.startswith("file://")) or path.is_file() or copy.is_file():
        return []
    return [
        f"tasks.{name}.file: there is no file {file} (looked for in {Path.cwd()}). Write its path relative to the "
        "folder in which you run, or an absolute one."
    ]


def written_out(name: str, entry: Mapping[str, Any]) -> tuple[Entry, Entry]:
    """The task and the dataset that a short entry stands for.

    Parameters
    ----------
    name
        Of the task.
    entry
        Without problems by `short_problems` and the schema.

    Returns
    -------
    tuple
        Entry of the task, and of the dataset `dataset_name`.
    """
    file = raw_name(str(entry["file"]))
    title = entry.get("title", name)
    reader = {**(_format(str(entry["file"])) or {}), **_reader_keys(entry), "file": file}
    task = {
        "title": title,
        "family": OWN,
        "classifier": "logistic",
        "layout": "columns",
        "data_version": title,
        **_picked(entry, _TASK_KEYS),
        **_picked(entry, _EXPECTED_KEYS),
        "dataset": dataset_name(name),
        "reader": reader,
    }
    dataset = {
        "title": title,
        "citation": "none",
        **_picked(entry, _DATASET_KEYS),
        "files": {file: {"urls": [entry["file"]], **_picked(entry, _FILE_KEYS)}},
    }
    return task, dataset


def with_reader(entry: Entry) -> Entry:
    """An entry whose columns stand beside `like`, with them in its ``reader``; any other as it is."""
    if "like" not in entry or not isinstance(entry.get("reader", {}), dict):
        return entry
    moved = _reader_keys(entry)
    if not moved:
        return entry
    kept = {key: value for key, value in entry.items() if key not in (*_READER_KEYS, "text")}
    return {**kept, "reader": {**entry.get("reader", {}), **moved}}


def dataset_name(task: str) -> str:
    """Name of the dataset of a task in short form."""
    return f"{OWN}-{task.lower()}"


def raw_name(file: str) -> str:
    """Name of a file below ``results/``: its own, with signs that paths and shells dislike replaced."""
    plain = PurePosixPath(file.partition("?")[0]).name
    return re.sub(r"[^A-Za-z0-9._-]+", "_", plain).lstrip(".-") or "data"


def _format(file: str) -> Entry | None:
    ending = PurePosixPath(without_ending(file.partition("?")[0])).suffix.lower()
    found = FORMAT_OF_ENDING.get(ending)
    return None if found is None else dict(found)


def _reader_keys(entry: Mapping[str, Any]) -> Entry:
    renamed = {("text_a" if key == "text" else key): value for key, value in entry.items()}
    return _picked(renamed, _READER_KEYS)


def _picked(entry: Mapping[str, Any], keys: tuple[str, ...]) -> Entry:
    return {key: entry[key] for key in keys if key in entry}
