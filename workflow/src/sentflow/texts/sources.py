"""Records of raw files into rows: which columns are names, texts, labels, groups and grades."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sentflow.config.collections import Records
from sentflow.config.tasks import Reader
from sentflow.errors import DataError, listed
from sentflow.texts.formats.raw import Column
from sentflow.texts.formats.raw import Records as FileRecords
from sentflow.texts.formats.table import read_records, record_batches
from sentflow.texts.raw_files import MEANINGS
from sentflow.texts.table import SEPARATOR

MOST_CHARACTERS = 100_000  # of a cell; parsing needs some 100 bytes for each


def literal_list(cell: str, *, where: str) -> list[str]:
    """The texts of a literal list; a map counts as its values, joined by ``|`` in their order.

    `cell`: say ``['a', 'b']`` or ``[{'law_id': 'a', 'article_id': '1'}]``. Raises DataError: it is longer than
    `MOST_CHARACTERS`, is no such list, or holds anything but texts and numbers.
    """
    if len(cell) > MOST_CHARACTERS:
        raise DataError(f"{where}: a list of {len(cell)} characters, more than {MOST_CHARACTERS}.")
    try:
        found = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise DataError(f"{where}: {cell[:40]!r} is no list as Python prints it.") from error
    if not isinstance(found, list):
        raise DataError(f"{where}: {cell[:40]!r} is no list.")
    return [_text_of_item(item, where) for item in found]


def _text_of_item(item: object, where: str) -> str:
    if isinstance(item, dict):
        return "|".join(_text_of_item(value, where) for value in item.values())
    if isinstance(item, str | int | float) and not isinstance(item, bool):
        return str(item)
    raise DataError(
        f"{where}: the list holds {type(item).__name__}, expected texts, numbers or maps of these."
    )


_QUOTE = re.compile("['\"]")
# What may follow a quote, up to the next one of its kind
_QUOTED = {quote: re.compile(rf"((?:[^{quote}\\]|\\.)*+){quote}", re.DOTALL) for quote in "'\""}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Source:
    """One source of records in the catalog."""

    entry: Records  # its files, how they are written, and how their cells are read
    where: str  # its place in the catalog, for messages
    # columns: meaning (``id``, ``title``, ``text``, ``question``, …) → column of the file
    columns: Mapping[str, Column]

    def rows(self, paths: Mapping[str, Path]) -> Iterator["Row"]:
        """The rows of all files, in their order."""
        files = self.entry.files
        wanted = [*dict.fromkeys([*self.columns.values(), *(self.entry.least_words or {})])]
        for number, file in enumerate(files):
            prefix = f"{number + 1}." if len(files) > 1 else ""
            for records in record_batches(paths[file], self.entry, wanted, joined="\n"):
                yield from self._rows(records, prefix)

    def _rows(self, records: FileRecords, prefix: str) -> Iterator["Row"]:
        picked = records.pick(self.columns)
        counted = [
            (records.pick({"least_words": column})["least_words"], least)
            for column, least in (self.entry.least_words or {}).items()
        ]
        for place, name in enumerate(records.names):
            if all(len(_WORD.findall(values[place])) >= least for values, least in counted):
                cells = {key: self._cell(key, values[place], records, name) for key, values in picked.items()}
                yield Row(f"{records.file}, row {name}", f"{prefix}{name}", cells)

    def _cell(self, key: str, cell: str, records: FileRecords, row: str) -> list[str]:
        if key in ("question", "question_text", "grade", "id", "title", "group", "cluster"):
            return [self._cleaned(key, cell)]
        match getattr(self.entry, "lists", "none"):
            case "json":
                values = cell.split("\n")
            case "spaces":
                values = cell.strip().removeprefix("[").removesuffix("]").replace(",", " ").split()
            case "numpy":
                found = quoted(cell)
                if not found:
                    raise DataError(
                        f"{records.file}, row {row}: {cell[:40]!r} is no printed array of strings."
                    )
                values = [" ".join(found)]
            case "python":
                values = literal_list(cell, where=f"{records.file}, row {row}")
            case _:
                values = [cell]
        return [self._cleaned(key, value) for value in values]

    def _cleaned(self, key: str, value: str) -> str:
        if not key.endswith("text"):
            return value.strip()
        if remove := getattr(self.entry, "remove", None):
            value = " ".join(re.sub(remove, " ", value).split())
        return value.strip().lower() if getattr(self.entry, "lower", False) else value.strip()


def quoted(text: str) -> list[str]:
    """What is in quotes; a quote that is never closed is a character like any other."""
    found: list[str] = []
    place, unclosed = 0, ""
    while quote := _QUOTE.search(text, place):
        place = quote.end()
        if quote[0] in unclosed:  # and so are all of its kind that follow
            continue
        if inner := _QUOTED[quote[0]].match(text, place):
            found.append(inner[1])
            place = inner.end()
        else:
            unclosed += quote[0]
    return found


@dataclass(frozen=True)
class Row:
    """A row of a source."""

    where: str  # what to call it in a message
    number: str  # its number in its file, with that of the file before it where there are several
    # cells: meaning → values; one, where the column holds no lists
    cells: Mapping[str, list[str]] = field(default_factory=dict)

    def one(self, key: str, default: str = "") -> str:
        """The value of a column that holds one."""
        return self.cells[key][0] if key in self.cells else default


def sources_of(entries: Sequence[Records], key: str, where: str) -> list[Source]:
    """The sources under a key of a corpus or question set, which is one of `MEANINGS`."""
    return [
        Source(entry, f"{where}.{key}.{number}", columns_of(entry, MEANINGS[key]))
        for number, entry in enumerate(entries)
    ]


def columns_of(entry: Records, meanings: Iterable[str]) -> dict[str, Column]:
    """Meaning → the column that an entry names for it."""
    named = {meaning: getattr(entry, meaning, None) for meaning in meanings}
    return {meaning: column for meaning, column in named.items() if column is not None}


def rows_of(sources: Iterable[Source], paths: Mapping[str, Path]) -> Iterator[Row]:
    """The rows of all sources, one after the other."""
    return (row for source in sources for row in source.rows(paths))


@dataclass(frozen=True)
class Rows:
    """What a reader found, in the order of the file."""

    names: list[str]  # what to call each row in a message, see `Records`
    # text_a, labels, groups: as long as `names`; labels as written in the file
    text_a: list[str]
    text_b: list[str] | None  # as long as `names`, or None where the file has no second text
    labels: list[str]
    groups: list[str | None]


def read_rows(path: Path, reader: Reader) -> Rows:
    """Read a raw file. Raises DataError: the file is missing, empty, damaged, wrongly encoded, or lacks a column."""
    wanted: dict[str, Column | None] = {
        "text_a": reader.text_a,
        "text_b": reader.text_b,
        "label": reader.label,
        "group": reader.group,
    }
    records = read_records(path, reader, wanted.values(), joined=SEPARATOR)
    if reader.format == "ulysses-csv":
        records, wanted = _official(records)
    elif reader.format == "assin-xml":
        wanted = {"text_a": "t", "text_b": "h", "label": "entailment"}
    elif reader.format == "text-folders":
        wanted = {"text_a": "text", "label": "folder", "group": reader.group}
    picked = records.pick(wanted)
    return Rows(
        names=records.names,
        text_a=picked.get("text_a", []),
        text_b=picked.get("text_b"),
        labels=picked.get("label", []),
        groups=[group or None for group in picked["group"]] if "group" in picked else [None] * len(records),
    )


def _official(records: FileRecords) -> tuple[FileRecords, dict[str, Column | None]]:
    """First column an index; then text and label, or text a, text b and label, whatever their names."""
    n = len(records.header)
    if n not in (3, 4):
        raise DataError(
            f"{records.file}: {n} columns ({listed(map(repr, records.header))}), expected 3 (index, text, label) or 4 "
            f"(index, text a, text b, label). A file with other columns is read with format: csv."
        )
    by_place = FileRecords(records.file, range(n), records.columns, records.names)
    return by_place, {"text_a": 1, "text_b": 2 if n == 4 else None, "label": n - 1}


def label_map(labels: Mapping[str, int] | Sequence[str | int] | None) -> Mapping[str, int]:
    """Label as written → class, of such a map, or of a list whose places are the classes; empty without either."""
    if isinstance(labels, Mapping):
        return labels
    return {str(label): number for number, label in enumerate(labels or ())}
