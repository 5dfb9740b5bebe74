"""Tasks in short form: a file and its columns, written out as a task and a dataset of the catalog.

Which key of the short form goes where is what the schemas of tasks and datasets say: each keeps its name.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from sentflow.files.archives.limits import without_ending
from sentflow.graph import paths
from sentflow.graph.config.family import AllEntries, Entry
from sentflow.graph.config.schema import Schema, schema_problems

OWN = "own"  # begins the names of the datasets of tasks in short form
# Ending of a file → settings of its reader.
FORMAT_OF_ENDING: Mapping[str, Mapping[str, str]] = {
    ".csv": {"format": "csv"},
    ".tsv": {"format": "csv", "delimiter": "\t"},
    ".tab": {"format": "csv", "delimiter": "\t"},
    ".jsonl": {"format": "jsonl"},
    ".ndjson": {"format": "jsonl"},
    ".parquet": {"format": "parquet"},
    ".arff": {"format": "arff"},
}


def write_out(entries: AllEntries, schema: Callable[[str], Schema]) -> dict[str, list[str]]:
    """Replace tasks in short form by a task and a dataset, in place; problems of those that stay, by name."""
    tasks, datasets = schema("tasks"), schema("datasets")
    short_schema = {**tasks, "additionalProperties": tasks["$defs"]["short_task"]}
    problems: dict[str, list[str]] = {}
    for name, entry in list(entries["tasks"].items()):
        if not is_short(entry):
            entries["tasks"][name] = _with_reader(entry, tasks) if isinstance(entry, dict) else entry
            continue
        found = schema_problems({name: entry}, short_schema, where="tasks")
        found = found or _short_problems(name, entry)
        dataset = dataset_name(name)
        if dataset in entries["datasets"]:
            found.append(
                f"tasks.{name}: its dataset would be {dataset}, which already exists. Rename the task."
            )
        if found:
            problems[name] = found
        else:
            entries["tasks"][name], entries["datasets"][dataset] = _written_out(name, entry, tasks, datasets)
    return problems


def is_short(entry: Any) -> bool:
    """Whether an entry of ``tasks`` names its file itself, and so has the short form."""
    return isinstance(entry, dict) and "file" in entry


def missing_file(name: str, entry: Mapping[str, Any]) -> list[str]:
    """A problem if a short entry's file of this machine is neither there nor copied already."""
    file = str(entry["file"])
    path = Path(file.removeprefix("file://")).expanduser()
    copy = Path(paths.RAW_FILE.format(dataset=dataset_name(name), file=raw_name(file)))
    if ("://" in file and not file.startswith("file://")) or path.is_file() or copy.is_file():
        return []
    return [
        f"tasks.{name}.file: there is no file {file} (searched for in {Path.cwd()}). Write its path "
        "relative to the "
        "folder in which you run, or an absolute one."
    ]


def dataset_name(task: str) -> str:
    """Name of the dataset of a task in short form."""
    return f"{OWN}-{task.lower()}"


def raw_name(file: str) -> str:
    """Name of a file below ``results/``: its own, without characters that have a meaning in paths and shells."""
    plain = PurePosixPath(file.partition("?")[0]).name
    return re.sub(r"[^A-Za-z0-9._-]+", "_", plain).lstrip(".-") or "data"


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
    if "format" not in entry and not _format(file):
        problems.append(
            f"tasks.{name}.file: the ending of {PurePosixPath(file).name!r} is not that of a known format. "
            f"Write format: csv, jsonl, parquet or arff next to it; known endings are {', '.join(FORMAT_OF_ENDING)}."
        )
    return problems


def _written_out(name: str, entry: Entry, tasks: Schema, datasets: Schema) -> tuple[Entry, Entry]:
    """The task and the dataset that a short entry stands for."""
    file, title = raw_name(str(entry["file"])), entry.get("title", name)
    long, short, data = _keys(tasks, "task"), _keys(tasks, "short_task"), _keys(datasets, "dataset")
    # a default that the long form has too is left to it
    assumed = {
        key: value["default"]
        for key, value in short.items()
        if "default" in value and "default" not in long.get(key, {})
    }
    full = {"title": title, "data_version": title, **assumed, **entry}
    task = {
        **{key: value for key, value in full.items() if key in long},
        "dataset": dataset_name(name),
        "reader": {**_format(str(entry["file"])), **_reader_keys(entry, tasks), "file": file},
    }
    of_file = {key: entry[key] for key in _keys(datasets, "file") if key in entry}
    dataset = {
        **{key: value for key, value in full.items() if key in data},
        "files": {file: {"urls": [entry["file"]], **of_file}},
    }
    return task, dataset


def _with_reader(entry: Entry, tasks: Schema) -> Entry:
    """An entry whose columns stand beside `like`, with them in its ``reader``; any other as it is."""
    if "like" not in entry or not isinstance(entry.get("reader", {}), dict):
        return entry
    moved = _reader_keys(entry, tasks)
    if not moved:
        return entry
    kept = {key: value for key, value in entry.items() if key not in (*moved, "text")}
    return {**kept, "reader": {**entry.get("reader", {}), **moved}}


def _reader_keys(entry: Mapping[str, Any], tasks: Schema) -> Entry:
    """What a short entry says of its reader; ``text`` is short for ``text_a``."""
    renamed = {("text_a" if key == "text" else key): value for key, value in entry.items()}
    both = _keys(tasks, "short_task").keys() & _keys(tasks, "reader").keys() - {"file"}
    return {key: value for key, value in renamed.items() if key in both}


def _keys(schema: Schema, part: str) -> dict[str, Any]:
    found: dict[str, Any] = schema["$defs"][part]["properties"]
    return found


def _format(file: str) -> Mapping[str, str]:
    """Settings of the reader that the ending of a file tells; none for other endings."""
    ending = PurePosixPath(without_ending(file.partition("?")[0])).suffix.lower()
    return FORMAT_OF_ENDING.get(ending, {})
