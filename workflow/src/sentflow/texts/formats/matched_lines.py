"""Plain text: a whole file, each line of it, or what a regular expression matches in its lines."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath

from sentflow.errors import ConfigError, DataError
from sentflow.texts.formats.delimited import without_end
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, numbered


def read_whole(file: RawFile) -> Records:
    """One row: the text without outer white space, and as id the name of the file without its ending."""
    text = file.text().strip()
    if not text:
        raise DataError(f"{file.name} is empty: no text.")
    return Records(file.name, ("id", "text"), [[PurePath(file.name).stem], [text]], ["1"])


def read_lines(file: RawFile) -> Records:
    """All lines, see `line_batches`."""
    (records,) = line_batches(file)
    return records


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
