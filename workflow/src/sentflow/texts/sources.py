"""What the records of a corpus, of questions and of judgements mean: which columns are names, texts and grades."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from sentflow.config.model import Settings
from sentflow.errors import ConfigError, DataError, no_pattern
from sentflow.texts.corpus_files import MEANINGS
from sentflow.texts.formats.literals import literal_list
from sentflow.texts.formats.records import Column, Records
from sentflow.texts.preparation import verified_files
from sentflow.texts.record_readers import RecordReader

LISTS = ("none", "json", "spaces", "numpy", "python")
_QUOTE = re.compile("['\"]")
# What may follow a quote, up to the next one of its kind
_QUOTED = {quote: re.compile(rf"((?:[^{quote}\\]|\\.)*+){quote}", re.DOTALL) for quote in "'\""}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Source:
    """One source of records in the catalog: a reader, and what its columns mean.

    Attributes
    ----------
    reader
        See `RecordReader`.
    where
        Its place in the catalog, for messages.
    columns
        Meaning (``id``, ``title``, ``text``, ``question``, …) → column of the file.
    lists
        How a cell holds several values: ``json`` (a list), ``spaces`` (``[1 2]`` or ``1 2``), ``numpy`` (a printed
        array of strings, which are joined by spaces), ``python`` (a literal list of texts, or of maps, whose values
        are joined by ``|`` as `law_article` joins them); ``none``: it holds one.
    lower
        Whether texts are put in lower case, for files that are in capitals throughout.
    remove
        Regular expression of what is no part of a text, such as the operators of a search engine; it is replaced by a
        space, and white space by single spaces.
    least_words
        Column → number of words; rows with fewer in it are left out.
    """

    reader: RecordReader
    where: str
    columns: Mapping[str, Column]
    lists: str = "none"
    lower: bool = False
    remove: str = ""
    least_words: Mapping[Column, int] = field(default_factory=dict)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str, meanings: Sequence[str]) -> "Source":
        """The source of a catalog entry.

        Parameters
        ----------
        settings
            Keys of the reader, of this class, and meanings.
        where
            Their place, for messages.
        meanings
            What columns may mean here.

        Raises
        ------
        ConfigError
            Unknown keys, or values that do not exist.
        """
        own = {item.name for item in fields(cls)} - {"reader", "where", "columns"}
        columns = {key: settings[key] for key in meanings if key in settings}
        if wrong := no_pattern(settings.get("remove", "")):
            raise ConfigError(f"{where}.remove: {wrong}")
        rest = {key: value for key, value in settings.items() if key not in own and key not in meanings}
        reader = RecordReader.from_settings(rest, where=where)
        picked = {key: settings[key] for key in own if key in settings}
        if picked.get("lists", LISTS[0]) not in LISTS:
            raise ConfigError(
                f"{where}.lists: {picked['lists']!r} does not exist. Write one of: {', '.join(LISTS)}."
            )
        return cls(reader, where, columns, **picked)

    def rows(self, paths: Mapping[str, Path]) -> Iterator["Row"]:
        """The rows of all files, in their order.

        Raises
        ------
        ConfigError, DataError
            See `RecordReader.read`; or a cell is no list.
        """
        wanted = dict.fromkeys([*self.columns.values(), *self.least_words])
        found = self.reader.read(paths, [*wanted], where=self.where)
        for number, records in enumerate(found):
            prefix = f"{number + 1}." if len(found) > 1 else ""
            yield from self._rows(records, prefix)

    def _rows(self, records: Records, prefix: str) -> Iterator["Row"]:
        picked = records.pick(self.columns)
        counted = [
            (records.pick({"least_words": column})["least_words"], least)
            for column, least in self.least_words.items()
        ]
        for place, name in enumerate(records.names):
            if all(len(_WORD.findall(values[place])) >= least for values, least in counted):
                cells = {key: self._cell(key, values[place], records, name) for key, values in picked.items()}
                yield Row(f"{records.file}, row {name}", f"{prefix}{name}", cells)

    def _cell(self, key: str, cell: str, records: Records, row: str) -> list[str]:
        if key in ("question", "question_text", "grade", "id", "title", "group", "cluster"):
            return [self._cleaned(key, cell)]
        match self.lists:
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
        if self.remove:
            value = " ".join(re.sub(self.remove, " ", value).split())
        return value.strip().lower() if self.lower else value.strip()


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
    """A row of a source.

    Attributes
    ----------
    where
        What to call it in a message.
    number
        Its number in its file, with that of the file before it where there are several.
    cells
        Meaning → values; one, where the column holds no lists.
    """

    where: str
    number: str
    cells: Mapping[str, list[str]] = field(default_factory=dict)

    def one(self, key: str, default: str = "") -> str:
        """The value of a column that holds one."""
        return self.cells[key][0] if key in self.cells else default


def sources_of(entries: Sequence[Settings], key: str, where: str) -> list[Source]:
    """The sources under a key of a corpus or question set, which is one of `MEANINGS`."""
    return [
        Source.from_settings(
            entry.model_dump(exclude_unset=True, exclude_none=True),
            where=f"{where}.{key}.{number}",
            meanings=MEANINGS[key],
        )
        for number, entry in enumerate(entries)
    ]


def verified_paths(
    sources: Iterable[Source],
    raw_files: Sequence[Path],
    files: Mapping[str, Mapping[str, Any]],
    *,
    where: str,
) -> dict[str, Path]:
    """The files that sources name, see `verified_files`."""
    names = list(dict.fromkeys(file for source in sources for file in source.reader.files))
    return verified_files(names, raw_files, files, where=where)


def rows_of(sources: Iterable[Source], paths: Mapping[str, Path]) -> Iterator[Row]:
    """The rows of all sources, one after the other."""
    return (row for source in sources for row in source.rows(paths))
