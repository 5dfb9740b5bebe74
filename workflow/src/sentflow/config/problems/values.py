"""What no name, text or number of a configuration may be, whatever its key; names become parts of paths.

Standard library and PyYAML only: the Snakefile imports this module in every job.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sentflow.config.problems.common import mistakes, refuse
from sentflow.files.control_characters import HIDDEN, written_out
from sentflow.files.settings_files import check_size

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

    Raises
    ------
    ConfigError
        A value would break everything that is made of it: not even another message could repeat it.
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

    Parameters
    ----------
    value
        Without circles, see `sentflow.files.settings_files.refuse_overgrown`.
    where
        Name of the place, for messages.
    """
    yield from _problems(value, where, key="", seen=set())


def name_problems(entries: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """One sentence for each name of an entry whose files would be those of another, or could not be written.

    Parameters
    ----------
    entries
        Section → name → entry; of the catalog and of a configuration.
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
