"""How mistakes of a configuration are reported, and what no name, text or number may be, whatever its key."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.config.configuration import Configuration
from sentflow.config.entries import Entries, Entry, as_map
from sentflow.config.short_forms import OWN, raw_name
from sentflow.errors import ConfigError, instead
from sentflow.files.control_characters import HIDDEN, written_out
from sentflow.files.settings_files import check_size
from sentflow.flow import paths
from sentflow.jobs.secrecy import without_secrets
from sentflow.texts.raw_files import raw_files_of

_LONGEST, _KEPT_AT_END = 1500, 400  # characters of a problem


def refuse(problems: Sequence[str]) -> None:
    if problems:
        raise mistakes(problems)


def mistakes(problems: Sequence[str]) -> ConfigError:
    problems = list(dict.fromkeys(problems))
    count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
    # a schema repeats the value that it refuses
    listed = "\n".join(f"  - {_shortened(problem)}" for problem in problems)
    return ConfigError(without_secrets(f"the configuration has {count}:\n{listed}"))


def _shortened(problem: str) -> str:
    left_out = len(problem) - _LONGEST
    if left_out <= 0:
        return problem
    start, end = problem[: _LONGEST - _KEPT_AT_END], problem[-_KEPT_AT_END:]
    return f"{start} … ({left_out:,} characters) … {end}"


def made_of_seeds(name: str, known: Mapping[str, Any]) -> list[str]:
    """The entries that an entry with several seeds was written out as."""
    return [
        key
        for key, entry in known.items()
        if as_map(entry).get("seed_of") == name or key.startswith(f"{name}-seed-")
    ]


def unknown(place: str, noun: str, name: str, known: Iterable[str]) -> str:
    """A message that a name does not exist, with the names that do; or that it stands for several."""
    if isinstance(known, Mapping) and (made := made_of_seeds(name, known)):
        return f"{place}: {name} stands for one {noun} per seed. Write one of: {', '.join(made)}."
    return f"{place}: there is no {noun} {name!r}. {instead(name, sorted(known))}"


def dataset_problems(where: str, entry: Entry, datasets: Entries, *, key: str) -> list[str]:
    """Whether the dataset of an entry exists and has the files that `key` of the entry names."""
    dataset = entry["dataset"]
    if dataset not in datasets:
        return [unknown(f"{where}.dataset", "dataset", dataset, datasets)]
    known = datasets[dataset].get("files", {})
    return [
        f"{where}.{key}: the dataset {dataset} has no file {file!r}. {instead(file, sorted(known))}"
        for file in raw_files_of(entry)
        if known and file not in known
    ]


def missing_files(where: str, dataset: str, datasets: Entries) -> list[str]:
    """Problems if files of an entry that had the short form are neither there nor copied already."""
    files = datasets.get(dataset, {}).get("files", {}) if dataset.startswith(OWN) else {}
    addresses = [file["urls"][0] for file in files.values() if "urls" in file]
    return [problem for address in addresses for problem in _missing_file(where, address, dataset)]


def _missing_file(where: str, file: str, dataset: str) -> list[str]:
    path = Path(file.removeprefix("file://")).expanduser()
    copy = Path(paths.RAW_FILE.format(dataset=dataset, file=raw_name(file)))
    if ("://" in file and not file.startswith("file://")) or path.is_file() or copy.is_file():
        return []
    return [
        f"{where}: there is no file {file} (searched for beside the configuration file and in {Path.cwd()}). Write "
        "its path from one of these, or the whole path."
    ]


def needed(config: Configuration, what: str, selected: Sequence[str]) -> Iterator[str]:
    """That something is selected of which encoders alone are measured, and no encoder."""
    if selected and not config.select.models and not config.select.sweeps:
        yield f"config.select.models: {what} are measured of encoders, and none is selected. Write one, e.g. random."


# Texts that stand in one line of a table, a path or an address. Others may have lines: descriptions, prompts, patterns.
_ONE_LINE = frozenset(
    (
        *("title", "data_version", "family", "language", "licence", "homepage", "file", "files"),
        *("member", "root", "urls", "url", "mirrors", "custom", "folder", "module", "package", "hub"),
        *("source", "models", "tasks", "pair_sets", "alignments", "regressions", "protocols", "families"),
    )
)
# Files of this machine that jobs name as their inputs
_INPUTS = frozenset({"custom", "file", "files", "urls"})
_SEPARATORS = re.compile(r"[\n\t]")
_LARGEST = 2**63  # what a number of a file of results can hold
# A file system takes 255 bytes, of which endings and the name of a temporary file need some
MAX_LENGTH = 100
# Of the files that lie beside `{model}.parquet` (`sentflow.flow.paths`)
_ENDINGS_OF_FILES = (".predictions",)


def plain_values(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration in built-in types with keys that are texts; YAML makes dates of what looks like one.

    Raises ConfigError: a value would break everything that is made of it: not even another message could repeat it.
    """
    check_size(config, where="config")
    refuse(list(value_problems(config, where="config")))

    def refuse_type(value: Any) -> None:
        found = f"YAML reads {value} as a {type(value).__name__}"
        raise mistakes([f"config: {found}. Put it in quotes if it is text."])

    try:
        plain: dict[str, Any] = json.loads(json.dumps(config, default=refuse_type))
    except TypeError as error:  # a key that is neither text nor number
        raise mistakes([f"config: {error}. Put keys in quotes."]) from None
    return plain


def value_problems(value: Any, *, where: str) -> Iterator[str]:
    """One sentence for each name, text or number in nested settings that would break what is made of it.

    `value`: without circles, see `sentflow.files.settings_files.refuse_overgrown`. `where`: its name in messages.
    """
    yield from _problems(value, where, key="", seen=set())


def name_problems(entries: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """One sentence for each name of an entry whose files would be those of another, or could not be written.

    `entries`: section → name → entry; of the catalog and of a configuration.
    """
    for section, found in entries.items():
        yield from _problems_of_names(found, section)
    for dataset, entry in entries.get("datasets", {}).items():
        files = entry.get("files") if isinstance(entry, dict) else None
        if isinstance(files, dict):
            yield from _problems_of_names(files, f"datasets.{dataset}.files")
    for model in entries.get("models", {}):
        if model.endswith(_ENDINGS_OF_FILES):
            yield (
                f"models.{model}: the files of this model would be mistaken for the predictions of "
                f"{model.removesuffix(_ENDINGS_OF_FILES[0])}. Write a name that does not end in "
                f"{_ENDINGS_OF_FILES[0]}."
            )


def _problems_of_names(names: Iterable[str], where: str) -> Iterator[str]:
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(name.casefold(), name)
        if other != name:
            yield (
                f"{where}.{name}: it differs from {other} only in upper and lower case, and many file "
                "systems would treat "
                "their files as the same. Write another name."
            )
        if len(name) > MAX_LENGTH:
            yield (
                f"{where}.{name[:20]}…: a name is part of the names of files and has at most "
                f"{MAX_LENGTH} characters, "
                f"not {len(name)}. Write a shorter one."
            )


def _problems(value: Any, where: str, *, key: object, seen: set[int]) -> Iterator[str]:
    if isinstance(value, Mapping | list | tuple):
        if id(value) in seen:  # an alias: reported once
            return
        seen.add(id(value))
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(name, int) and abs(name) >= _LARGEST:
                yield f"{where}: a key is a number of more than 18 digits. Write a name."
                continue
            if isinstance(name, str):
                yield from _text_problems(name, f"{where}.{name}", one_line=True)
            yield from _problems(inner, f"{where}.{name}", key=name, seen=seen)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _problems(inner, f"{where}.{number}", key=key, seen=seen)
    elif isinstance(value, str):
        if key != "delimiter":  # Hive parts columns by a control character
            yield from _text_problems(value, where, one_line=key in _ONE_LINE)
        if key in _INPUTS and "://" not in value and {"{", "}"} & set(value):
            yield (
                f"{where}: Snakemake reads braces in the path of a file as names to fill in. Rename "
                f"{value}, or copy "
                "it to a path without braces."
            )
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{where}: {value} is not a finite number. Write a finite number, or leave the key out."
    elif isinstance(value, int) and abs(value) >= _LARGEST:
        yield f"{where}: a number of more than 18 digits is too large for any setting. Write a smaller one."


def _text_problems(text: str, where: str, *, one_line: bool) -> Iterator[str]:
    if found := HIDDEN.search(text):
        yield (
            f"{where}: character {found.start() + 1} is {written_out(found[0])}, an invisible control "
            "character, which "
            "breaks lines, tables and terminals. Delete it."
        )
    elif one_line and (found := _SEPARATORS.search(text)):
        kind = "line break" if found[0] == "\n" else "tab"
        yield f"{where}: it contains a {kind}. Write it on one line; in YAML use >- for long text."
