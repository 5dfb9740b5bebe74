"""Rows that stand in lines: CSV and its kin, plain lines, ARFF, and the files of SemEval's STS tasks."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import PurePath

from sentflow.errors import ConfigError, DataError, listed
from sentflow.texts.formats.raw import Column, RawFile, Records, numbered

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
    found = _quoted(file, delimiter) if quoting else _plain(file.lines(), delimiter)
    first = next(found, None)
    second = next(found, None) if header else first
    if first is None or second is None:
        missing = "no rows" if not header else "a header without rows" if first else "no header, no rows"
        raise DataError(f"{file.name} is empty: {missing}. Name a file with rows.")
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
    if without_end(next(file.lines())) == f'"{names[0]}"':
        return f" Whole lines are in quotes. Remove the outer quotes, and write delimiter: {other[0]!r}."
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


def _quoted(file: RawFile, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Number of the last line (from 1) and fields of each record that is not blank."""
    reader, header = csv.reader(file.lines(newline=""), delimiter=delimiter, strict=True), [""]
    field_limit = csv.field_size_limit(_FIELD_LIMIT)
    try:
        for record in reader:
            if record:
                header = header if any(header) else record
                yield reader.line_num, record
    except csv.Error as error:
        hint = _hint(file, header) or " The file is truncated, or its quotes are not doubled."
        raise DataError(f"{file.name}, line {reader.line_num}: {error}.{hint}") from error
    finally:
        csv.field_size_limit(field_limit)


def _plain(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Number (from 1) and fields of each line that is not blank, where quotes mean nothing."""
    for number, line in enumerate(map(without_end, lines), start=1):
        if line:
            yield number, line.split(delimiter)


def read_whole(file: RawFile) -> Records:
    """One row: the text without outer white space, and as id the name of the file without its ending."""
    text = file.text().strip()
    if not text:
        raise DataError(f"{file.name} is empty: no text.")
    return Records(file.name, ("id", "text"), [[PurePath(file.name).stem], [text]], ["1"])


def line_batches(file: RawFile, *, rows: int | None = None) -> Iterator[Records]:
    """A row for each line, empty ones included, with the one column text; `rows` of a batch, None for all."""
    lines, done = map(without_end, file.lines()), 0
    while batch := list(islice(lines, rows)):
        yield Records(file.name, ("text",), [batch], numbered(len(batch), after=done))
        done += len(batch)
    if not done:
        raise DataError(f"{file.name} is empty: no line.")


def read_matched_lines(file: RawFile, pattern: str) -> Records:
    """A row for each line that a pattern matches; its named groups are the columns, other lines are left out."""
    compiled = re.compile(pattern)
    if not compiled.groupindex:
        raise ConfigError(f"pattern: {pattern!r} names no group. Write columns as (?P<id>…).")
    lines = file.text().split("\n")
    found = [
        (number, match)
        for number, line in enumerate(lines, start=1)
        if (match := compiled.fullmatch(line.removesuffix("\r")))
    ]
    if not found:
        raise DataError(f"{file.name}: the pattern {pattern!r} matches none of {len(lines)} lines.")
    header = [*compiled.groupindex]
    columns = [[match[name] or "" for _, match in found] for name in header]
    return Records(file.name, header, columns, [str(number) for number, _ in found])


_ATTRIBUTE = re.compile(r"\s*@attribute\s+(?:'(?P<quoted>[^']*)'|(?P<plain>\S+))\s", re.IGNORECASE)
# Possessive (*+), for nothing shorter would match: otherwise a long line without its last quote takes minutes
_ARFF_FIELD = re.compile(r"""\s*+(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^,'"]*+))\s*+(,|\Z)""")


def read_arff(file: RawFile) -> Records:
    """The rows after ``@data``; blank lines and comments (%) may stand anywhere.

    Raises DataError: no ``@data``, no rows, or a row with another number of values than there are attributes.
    """
    header: list[str] = []
    rows: list[list[str]] = []
    in_data = False
    for number, line in enumerate(plain_lines(file.text()), start=1):
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        if in_data:
            rows.append(_arff_fields(line, f"{file.name}, line {number}", expected=len(header)))
        elif line.strip().lower() == "@data":
            in_data = True
        elif match := _ATTRIBUTE.match(line):
            header.append(match["quoted"] or match["plain"])
    if not in_data:
        raise DataError(f"{file.name}: no line @data. Is it an ARFF file?")
    if not rows:
        raise DataError(f"{file.name} is empty: no rows after @data.")
    columns: list[list[str] | None] = [[row[place] for row in rows] for place in range(len(header))]
    return Records(file.name, header, columns, numbered(len(rows)))


def _arff_fields(line: str, where: str, *, expected: int) -> list[str]:
    found: list[str] = []
    position = 0
    while match := _ARFF_FIELD.match(line, position):
        single, double, plain, end = match.groups()
        quoted = single if single is not None else double
        found.append(plain.strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        position = match.end()
        if not end:
            break
    if position < len(line) or len(found) != expected:
        raise DataError(f"{where}: {len(found)} values, expected {expected}; or a quote is not closed.")
    return found


_WIDTHS = (2, 4)  # two sentences, and perhaps notes on their sources


def read_sts_text(sentences: RawFile, gold: RawFile, *, unscored: bool = False) -> Records:
    """Pairs of sentences (tab, no quoting) that have a score; a blank line of gold is a pair that was not scored.

    `unscored`: whether pairs without a score are kept, too; theirs is an empty text. Returns: columns ``text_a``,
    ``text_b`` and ``score``; rows have the numbers of their lines. Raises DataError: the files have different numbers
    of lines, or lines of another form; or no pair has a score.
    """
    records = [line.split("\t") for line in plain_lines(sentences.text())]
    scores = plain_lines(gold.text())
    if len(records) != len(scores):
        raise DataError(
            f"{sentences.name} has {len(records)} lines, but {gold.name} has {len(scores)}: "
            "every pair needs its line of gold, blank where it was not scored."
        )
    odd = [f"line {line} has {len(r)}" for line, r in enumerate(records, start=1) if len(r) not in _WIDTHS]
    if odd:
        raise DataError(
            f"{sentences.name}: {listed(odd, limit=10)} fields, expected {' or '.join(map(str, _WIDTHS))}. "
            "Is it the right format, and the right delimiter?"
        )
    kept = [row for row, score in enumerate(scores) if unscored or score.strip()]
    if not kept:
        raise DataError(f"{gold.name} is empty: no line holds a score.")
    columns = (
        [records[row][0] for row in kept],
        [records[row][1] for row in kept],
        [scores[row] for row in kept],
    )
    return Records(sentences.name, ("text_a", "text_b", "score"), columns, [str(row + 1) for row in kept])
