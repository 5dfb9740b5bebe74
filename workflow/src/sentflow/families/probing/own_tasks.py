"""Tasks in short form: a file and its columns, written out as a task and a dataset of the catalog."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from sentflow.config.datasets import Dataset, File
from sentflow.config.entries import AllEntries, Entry
from sentflow.config.model import fields_of
from sentflow.config.short_forms import (
    FORMAT_OF_ENDING,
    OWN,
    completed,
    format_of,
    picked,
    raw_name,
    replace_short,
)
from sentflow.config.tasks import Reader, ShortTask, Task


def write_out(entries: AllEntries) -> dict[str, list[str]]:
    """Replace tasks in short form by a task and a dataset, in place; problems of those that stay, by name."""
    for name, entry in list(entries["tasks"].items()):
        if isinstance(entry, dict) and not is_short(entry):
            entries["tasks"][name] = _with_reader(entry)
    return replace_short(
        entries,
        "tasks",
        model=ShortTask,
        noun="task",
        is_short=is_short,
        problems=_short_problems,
        written_out=_written_out,
        dataset_name=dataset_name,
    )


def is_short(entry: Any) -> bool:
    """Whether an entry of ``tasks`` names its file itself, and so has the short form."""
    return isinstance(entry, dict) and "file" in entry


def dataset_name(task: str) -> str:
    """Name of the dataset of a task in short form."""
    return f"{OWN}-{task.lower()}"


def _short_problems(name: str, entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with a short entry that fits its schema, which cannot say it in these words."""
    problems = []
    if "text" in entry and "text_a" in entry:
        problems.append(f"tasks.{name}.text: text and text_a are the same column. Write one of them.")
    if "text" not in entry and "text_a" not in entry:
        problems.append(
            f"tasks.{name}.text: there is no column for the texts. Write text: <column>, or text_a: and "
            "text_b: "
            "for a pair."
        )
    file = str(entry["file"])
    if file.lower().startswith(("http://", "https://")) and "sha256" not in entry:
        problems.append(
            f"tasks.{name}.sha256: a file from the network needs its checksum. Write sha256: <64 "
            "digits>, as sha256sum "
            "prints them."
        )
    if "format" not in entry and not format_of(file, FORMAT_OF_ENDING):
        problems.append(
            f"tasks.{name}.file: the ending of {PurePosixPath(file).name!r} is not that of a known format. "
            f"Write format: csv, jsonl, parquet or arff next to it; known endings are {', '.join(FORMAT_OF_ENDING)}."
        )
    return problems


def _written_out(name: str, entry: Entry) -> tuple[Entry, Entry]:
    """The task and the dataset that a short entry stands for."""
    file = raw_name(str(entry["file"]))
    full = completed(name, entry, short=ShortTask, long=Task)
    reader = {**format_of(str(entry["file"]), FORMAT_OF_ENDING), **_reader(entry), "file": file}
    task = {**picked(full, Task), "dataset": dataset_name(name), "reader": reader}
    files = {file: {"urls": [entry["file"]], **picked(entry, File)}}
    return task, {**picked(full, Dataset), "files": files}


def _with_reader(entry: Entry) -> Entry:
    """An entry whose columns stand beside `like`, with them in its ``reader``; any other as it is."""
    if "like" not in entry or not isinstance(entry.get("reader", {}), dict):
        return entry
    moved = _reader(entry)
    if not moved:
        return entry
    kept = {key: value for key, value in entry.items() if key not in (*moved, "text")}
    return {**kept, "reader": {**entry.get("reader", {}), **moved}}


def _reader(entry: Mapping[str, Any]) -> Entry:
    """What a short entry says of its reader; ``text`` is short for ``text_a``."""
    renamed = {("text_a" if key == "text" else key): value for key, value in entry.items()}
    return picked(renamed, (fields_of(ShortTask).keys() & fields_of(Reader).keys()) - {"file"})
