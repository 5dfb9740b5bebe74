"""Entries in short form, which name files of the user: written out as an entry and a dataset of the catalog.

Which key of the short form goes where is what the models say: each keeps its name.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from sentflow.config.entries import AllEntries, Entry
from sentflow.config.model import Settings, fields_of, mistakes
from sentflow.files.archives.limits import without_ending
from sentflow.graph import paths

OWN = "own"  # begins the names of the datasets of entries in short form

# Ending of a file with columns → settings of its reader.
FORMAT_OF_ENDING: Mapping[str, Mapping[str, str]] = {
    ".csv": {"format": "csv"},
    ".tsv": {"format": "csv", "delimiter": "\t"},
    ".tab": {"format": "csv", "delimiter": "\t"},
    ".jsonl": {"format": "jsonl"},
    ".ndjson": {"format": "jsonl"},
    ".parquet": {"format": "parquet"},
    ".arff": {"format": "arff"},
}


def format_of(file: str, endings: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """Settings of a reader that the ending of a file tells; none for endings that are not among the known."""
    ending = PurePosixPath(without_ending(file.partition("?")[0])).suffix.lower()
    return endings.get(ending, {})


def replace_short(
    entries: AllEntries,
    section: str,
    *,
    model: type[Settings],
    noun: str,
    is_short: Callable[[Any], bool],
    problems: Callable[[str, Entry], list[str]],
    written_out: Callable[[str, Entry], tuple[Entry, Entry]],
    dataset_name: Callable[[str], str],
) -> dict[str, list[str]]:
    """Replace the short entries of a section by an entry and a dataset, in place; problems of those that stay, by name.

    Parameters
    ----------
    entries, section
        All entries, and the section to go through.
    model
        Of the short form.
    noun
        One entry, in messages.
    is_short
        Whether an entry has the short form.
    problems
        What is wrong with a short entry that fits its model.
    written_out
        Entry and dataset that a short entry stands for.
    dataset_name
        Name of that dataset.
    """
    refused: dict[str, list[str]] = {}
    for name, entry in list(entries[section].items()):
        if not is_short(entry):
            continue
        wrong = mistakes(model, entry, where=f"{section}.{name}")
        found = [str(mistake) for mistake in wrong] or problems(name, entry)
        dataset = dataset_name(name)
        if dataset in entries["datasets"]:
            found.append(
                f"{section}.{name}: its dataset would be {dataset}, which already exists. Rename the {noun}."
            )
        if found:
            refused[name] = found
        else:
            entries[section][name], entries["datasets"][dataset] = written_out(name, entry)
    return refused


def completed(name: str, entry: Entry, *, short: type[Settings], long: type[Settings]) -> Entry:
    """A short entry with what it leaves out: title, data version, and defaults that the long form does not have.

    Parameters
    ----------
    name, entry
        Of the short entry.
    short, long
        The two forms.
    """
    title = entry.get("title", name)
    of_long = _defaults(long)
    assumed = {key: value for key, value in _defaults(short).items() if key not in of_long}
    return {"title": title, "data_version": title, **assumed, **entry}


def _defaults(model: type[Settings]) -> dict[str, Any]:
    """Key → what it is where it is left out, other than nothing."""
    fields = {key: field for key, field in fields_of(model).items() if not field.is_required()}
    return {key: field.default for key, field in fields.items() if field.default is not None}


def picked(entry: Mapping[str, Any], keys: Iterable[str] | type[Settings]) -> Entry:
    """The keys of an entry that a form has."""
    known = fields_of(keys) if isinstance(keys, type) else set(keys)
    return {key: entry[key] for key in entry if key in known}


def missing_file(where: str, file: str, dataset: str) -> list[str]:
    """A problem if a file of this machine is neither there nor copied to its dataset already."""
    path = Path(file.removeprefix("file://")).expanduser()
    copy = Path(paths.RAW_FILE.format(dataset=dataset, file=raw_name(file)))
    if ("://" in file and not file.startswith("file://")) or path.is_file() or copy.is_file():
        return []
    return [
        f"{where}: there is no file {file} (searched for in {Path.cwd()}). Write its path relative to the "
        "folder in which you run, or an absolute one."
    ]


def raw_name(file: str) -> str:
    """Name of a file below ``results/``: its own, without characters that have a meaning in paths and shells."""
    plain = PurePosixPath(file.partition("?")[0]).name
    return re.sub(r"[^A-Za-z0-9._-]+", "_", plain).lstrip(".-") or "data"
