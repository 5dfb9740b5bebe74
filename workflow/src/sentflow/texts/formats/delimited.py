"""CSV and its kin: records of fields between delimiters, with real quoting or with none."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from sentflow.errors import DataError
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Column, Records, listed, numbered

_DELIMITER = re.compile(r"[;\t|,]")
_FIELD_LIMIT = 2**31 - 1  # a bill is longer than the module's 131,072 characters


def read_delimited(
    file: RawFile, delimiter: str, *, quoting: bool = True, header: bool = True, widths: Sequence[int] = ()
) -> Records:
    """All rows of a file, see `delimited_batches`."""
    (records,) = delimited_batches(file, delimiter, quoting=quoting, header=header, widths=widths)
    return records


def delimited_batches(
    file: RawFile,
    delimiter: str,
    *,
    quoting: bool = True,
    header: bool = True,
    widths: Sequence[int] = (),
    rows: int | None = None,
) -> Iterator[Records]:
    """The rows of a file with one delimiter between its columns.

    Blank lines are skipped, line breaks inside quotes are kept. Every field stays as it is written: ``NA`` and
    ``null`` are texts like any other.

    `quoting`: whether quotes enclose fields. Otherwise a quote is a character like any other, and a line is a record.
    `header`: whether the first record names the columns; otherwise they have numbers from 1. `widths`: numbers of
    fields that a record may have; without it, as many as the first. `rows`: of a batch, of which one at a time is in
    memory; None gives all in one. Raises DataError: no header, no records, broken quoting, or records with another
    number of fields (named by line, the first is line 1).
    """
    found = (
        _quoted(file.lines(newline=""), delimiter, where=file.name)
        if quoting
        else _plain(file.lines(), delimiter)
    )
    first = next(found, None)
    second = next(found, None) if header else first
    if first is None or second is None:
        missing = "no rows" if not header else "a header without rows" if first else "no header, no rows"
        raise DataError(f"{file.name} is empty: {missing}.")
    allowed = widths or (len(first[1]),)
    names: list[Column] = [*first[1]] if header else [*range(1, min(allowed) + 1)]
    hint = _hint(file, names) if header else ""
    by_header = header and not widths
    question = f"Is {delimiter!r} the delimiter{', and are texts with it in quotes?' if quoting else '?'}"
    _refuse_other_widths([first], allowed, file.name, question, by_header=by_header)
    done, rest = 0, chain([second], found)
    while batch := list(islice(rest, rows)):
        _refuse_other_widths(batch, allowed, file.name, question, by_header=by_header)
        columns: list[list[str] | None] = [[row[place] for _, row in batch] for place in range(len(names))]
        yield Records(file.name, names, columns, numbered(len(batch), after=done), hint)
        done += len(batch)


def _hint(file: RawFile, names: Sequence[Column]) -> str:
    """What to write where the whole header is one name with another delimiter in it."""
    if len(names) != 1 or not (other := _DELIMITER.search(str(names[0]))):
        return ""
    form = "format: csv and " if file.format != "csv" else ""
    return f" The header holds {other[0]!r}: write {form}delimiter: {other[0]!r}."


def _refuse_other_widths(
    found: Sequence[tuple[int, list[str]]],
    allowed: Sequence[int],
    where: str,
    question: str,
    *,
    by_header: bool,
) -> None:
    """Refuse records with another number of fields than those of the header, or than the reader says."""
    odd = [f"line {line} has {len(record)}" for line, record in found if len(record) not in allowed]
    if not odd:
        return
    stated = f"{listed(odd, limit=10)} fields, expected {' or '.join(map(str, allowed))}"
    if by_header:
        stated = f"the header has {allowed[0]} fields, but {listed(odd, limit=10)}"
    raise DataError(f"{where}: {stated}. {question}")


def plain_lines(text: str) -> list[str]:
    """Lines that end with a line feed, or with a carriage return and one; the last line may lack its end.

    Only these end a line: sentences hold other characters that Python counts as line ends.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def without_end(line: str) -> str:
    """A line of `RawFile.lines` without what ends it, see `plain_lines`."""
    return line.removesuffix("\n").removesuffix("\r")


def _quoted(lines: Iterator[str], delimiter: str, *, where: str) -> Iterator[tuple[int, list[str]]]:
    """Number of the last line (from 1) and fields of each record that is not blank."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    field_limit = csv.field_size_limit(_FIELD_LIMIT)
    try:
        for record in reader:
            if record:
                yield reader.line_num, record
    except csv.Error as error:
        raise DataError(
            f"{where}, line {reader.line_num}: {error}. The file is truncated, or its quotes are not doubled."
        ) from error
    finally:
        csv.field_size_limit(field_limit)


def _plain(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Number (from 1) and fields of each line that is not blank, where quotes mean nothing."""
    for number, line in enumerate(map(without_end, lines), start=1):
        if line:
            yield number, line.split(delimiter)
