"""CSV and its kin: records of fields between delimiters, with real quoting or with none."""

import csv
import io
import re
from collections.abc import Sequence

from sentflow.errors import DataError
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Column, Records, listed, numbered

_DELIMITER = re.compile(r"[;\t|,]")


def read_delimited(
    file: RawFile, delimiter: str, *, quoting: bool = True, header: bool = True, widths: Sequence[int] = ()
) -> Records:
    """The rows of a file with one delimiter between its columns, see `csv_records`."""
    names, rows = csv_records(
        file.text(), delimiter, where=file.name, quoting=quoting, header=header, widths=widths
    )
    hint = ""
    if header and len(names) == 1 and (other := _DELIMITER.search(str(names[0]))):
        form = "format: csv and " if file.format != "csv" else ""
        hint = f" The header holds {other[0]!r}: write {form}delimiter: {other[0]!r}."
    columns: list[list[str] | None] = [[row[place] for row in rows] for place in range(len(names))]
    return Records(file.name, names, columns, numbered(len(rows)), hint)


def csv_records(
    text: str,
    delimiter: str,
    *,
    where: str,
    quoting: bool = True,
    header: bool = True,
    widths: Sequence[int] = (),
) -> tuple[list[Column], list[list[str]]]:
    """Columns and records of a CSV; blank lines are skipped, line breaks inside quotes are kept.

    Every field stays as it is written: ``NA`` and ``null`` are texts like any other.

    Parameters
    ----------
    text, delimiter
        The file, and the character between its columns.
    where
        Name of the file, for messages.
    quoting
        Whether quotes enclose fields. Otherwise a quote is a character like any other, and a line is a record.
    header
        Whether the first record names the columns; otherwise they have numbers from 1.
    widths
        Numbers of fields that a record may have; without it, as many as the first.

    Raises
    ------
    DataError
        No header, no records, broken quoting, or records with another number of fields (named by line, the first
        is line 1).
    """
    found = _quoted(text, delimiter, where=where) if quoting else _plain(text, delimiter)
    if len(found) < 1 + header:
        missing = "no rows" if not header else "a header without rows" if found else "no header, no rows"
        raise DataError(f"{where} is empty: {missing}.")
    allowed = widths or (len(found[0][1]),)
    odd = [f"line {line} has {len(record)}" for line, record in found if len(record) not in allowed]
    if odd:
        stated = f"the header has {allowed[0]} fields, but {listed(odd, limit=10)}"
        if widths or not header:
            stated = f"{listed(odd, limit=10)} fields, expected {' or '.join(map(str, allowed))}"
        question = ", and are texts with it in quotes?" if quoting else "?"
        raise DataError(f"{where}: {stated}. Is {delimiter!r} the delimiter{question}")
    records = [record for _, record in found]
    names: list[Column] = [*records.pop(0)] if header else [*range(1, min(allowed) + 1)]
    return names, records


def plain_lines(text: str) -> list[str]:
    """Lines that end with a line feed, or with a carriage return and one; the last line may lack its end.

    Only these end a line: sentences hold other characters that Python counts as line ends.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _quoted(text: str, delimiter: str, *, where: str) -> list[tuple[int, list[str]]]:
    """Number of the last line (from 1) and fields of each record that is not blank."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    found: list[tuple[int, list[str]]] = []
    field_limit = csv.field_size_limit(len(text) + 1)  # a bill is longer than the module's 131,072 characters
    try:
        for record in reader:
            if record:
                found.append((reader.line_num, record))
    except csv.Error as error:
        raise DataError(
            f"{where}, line {reader.line_num}: {error}. The file is truncated, or its quotes are not doubled."
        ) from error
    finally:
        csv.field_size_limit(field_limit)
    return found


def _plain(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Number (from 1) and fields of each line that is not blank, where quotes mean nothing."""
    return [(number, line.split(delimiter)) for number, line in enumerate(plain_lines(text), start=1) if line]
