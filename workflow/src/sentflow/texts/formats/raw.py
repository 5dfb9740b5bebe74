"""Raw files as bytes and text, by themselves or in an archive; and their records, before anything is known of tasks."""

import codecs
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from sentflow.errors import ConfigError, DataError, listed
from sentflow.files.archives.limits import is_archive_name
from sentflow.files.archives.members import is_archive, member_names, read_members
from sentflow.files.io import has_half

Column = str | int
"""A name, or a number from 1 where the file has no header."""


@dataclass(frozen=True)
class Records:
    """Rows of a raw file, column by column, as they are written there and in its order."""

    file: str  # its name, for messages
    # header: all columns of the file. A name may occur twice: then nothing can be picked by it.
    header: Sequence[Column]
    # columns: values at the place of their column in `header`, one for each row; None for columns that nobody asked
    # for
    columns: Sequence[list[str] | None]
    # names: what to call each row in a message: a number from 1, or the name of a file in an archive
    names: list[str]
    hint: str = ""  # what to write where a column is missing, if that is known

    def __len__(self) -> int:
        return len(self.names)

    def pick(self, wanted: Mapping[str, Column | None]) -> dict[str, list[str]]:
        """The values of the wanted columns, by the keys of the reader that name them; None is a column not wanted."""
        named = {key: column for key, column in wanted.items() if column is not None}
        problems = [
            f"{key}: {'no' if self.header.count(column) == 0 else 'more than one'} column {column!r}"
            for key, column in named.items()
            if self.header.count(column) != 1
        ]
        if problems:
            columns = listed(map(repr, self.header))
            raise DataError(f"{self.file}: {'; '.join(problems)}. Columns: {columns}.{self.hint}")
        picked = {key: self.columns[self.header.index(column)] for key, column in named.items()}
        return {key: values for key, values in picked.items() if values is not None}


def numbered(n: int, *, after: int = 0) -> list[str]:
    """Names of n rows that have none: numbers from 1, or from the one after those of the batches before."""
    return [str(number) for number in range(after + 1, after + n + 1)]


def whole(parts: Sequence[Records]) -> Records:
    """The rows of a file whose batches all have the columns of the first."""
    columns = zip(*(part.columns for part in parts), strict=True)
    joined = [
        None if column[0] is None else [value for cells in column for value in cells or ()]
        for column in columns
    ]
    return replace(parts[0], columns=joined, names=[name for part in parts for name in part.names])


def records_of(file: str, names: Sequence[str], rows: Sequence[Sequence[str]], *, what: str) -> Records:
    """Rows as records. Raises DataError: there are none; `what` says what the file lacks then."""
    if not rows:
        raise DataError(f"{file} is empty or of another form: expected {what}, found none.")
    columns: list[list[str] | None] = [list(column) for column in zip(*rows, strict=True)]
    return Records(file, list(names), columns, numbered(len(rows)))


def typed_records(
    file: str,
    header: Sequence[str],
    values: Mapping[str, Sequence[Any]],
    *,
    joined: str | None = None,
    after: int = 0,
) -> Records:
    """Columns whose values have types, as if they had been written in a CSV.

    `values`: of the columns that somebody asked for, all of one length. `joined`: what a list of texts is joined by;
    inside of one it becomes a space, so that they can be told apart again. None: a list is an error, like any other
    type that is no text. Raises DataError: there are no rows; or a value is neither a text nor a number nor a truth
    value: names row and column.
    """
    n = len(next(iter(values.values()), ()))
    if values and not n:
        raise DataError(f"{file} is empty: no rows.")
    columns = {
        name: [_as_text(value, file, name, row, joined) for row, value in enumerate(column, start=after + 1)]
        for name, column in values.items()
    }
    return Records(file, header, [columns.get(name) for name in header], numbered(n, after=after))


def _as_text(value: Any, file: str, column: str, row: int, joined: str | None) -> str:
    if value is None or value != value:  # NaN stands for a missing value, not for a text
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if joined is not None and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return joined.join(item.replace(joined, " ") for item in value)
    expected = "a text, a number, true or false" + (
        "" if joined is None else ", or a list of texts (alternatives)"
    )
    raise DataError(
        f"{file}, row {row}: the column {column!r} holds {type(value).__name__}, expected {expected}."
    )


_HEAD = 2**16  # bytes that tell UTF-8 from an encoding of one byte per character


def _refuse_utf8(head: bytes, encoding: str, where: str) -> None:
    """Refuse UTF-8 that would be read as Windows' or ISO's encodings, which take any bytes, as "Ã©" for "é"."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return
    if not text.isascii() and codecs.lookup(encoding).name.startswith(("cp125", "iso8859")):
        raise DataError(f"{where} is UTF-8, not {encoding}. Write encoding: utf-8.")


_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(content: bytes, encoding: str, *, where: str) -> str:
    """Decode a whole file; a byte-order mark at its start is no text and is dropped."""
    try:
        utf8 = codecs.lookup(encoding).name == "utf-8"
        skipped = len(codecs.BOM_UTF8) if utf8 and content.startswith(codecs.BOM_UTF8) else 0
        text = content[skipped:].decode(encoding)
    except LookupError:  # no such codec, or one that is not for texts, such as zlib
        raise ConfigError(
            f"{where}: {encoding!r} is not a known encoding. Write e.g. encoding: utf-8 or encoding: cp1252."
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(_misfit(content, skipped + error.start, encoding, where)) from error
    except ValueError as error:  # a codec that is not made for files, such as idna; a name with a NUL
        raise DataError(
            f"{where}: it cannot be decoded as {encoding!r} ({error}). Write e.g. encoding: utf-8."
        ) from error
    if not utf8 and has_half(text):
        raise DataError(
            f"{where}: in the encoding {encoding}, a text has half of a surrogate pair, which cannot be "
            "stored. Set the file's encoding, for example encoding: utf-8."
        )
    return text


def _misfit(content: bytes, offset: int, encoding: str, where: str) -> str:
    line = content.count(b"\n", 0, offset) + 1
    text = f"{where}: byte {offset} (line {line}), 0x{content[offset]:02x}, cannot be decoded as {encoding}."
    if content.startswith(_UTF16_MARKS):
        return f"{text} The file looks like UTF-16: write encoding: utf-16."
    with suppress(UnicodeDecodeError):
        content.decode("utf-8")
        return f"{text} The file is UTF-8: write encoding: utf-8."
    character = content[offset : offset + 1].decode("cp1252", errors="replace")
    return f"{text} Set the file's encoding, for example encoding: cp1252 (there this byte is {character!r})."


_ENDINGS = {
    "arff": ".arff",
    "assin-xml": ".xml",
    "blocks": ".txt",
    "json": ".json",
    "jsonl": ".jsonl",
    "tsv": ".tsv",
    "yaml": ".yml",
}


@dataclass(frozen=True)
class RawFile:
    """A raw file and how its text is written."""

    path: Path  # the file; an archive (zip or tar) may stand for one file in it
    # format: of the file, which says how the name of that file ends; ``.csv`` where nothing else is known
    format: str = "csv"
    encoding: str = "utf-8"  # of its text
    member: str | None = None  # name of the file in an archive, where it holds several that end so

    @property
    def name(self) -> str:
        """For messages."""
        return self.path.name

    def content(self) -> bytes:
        """The bytes of the file, or of the one that an archive holds."""
        return self._found()[1]

    def text(self) -> str:
        """The text of the file, or of the one that an archive holds."""
        where, content = self._found()
        return decode(content, self.encoding, where=where)

    def lines(self, newline: str = "\n") -> Iterator[str]:
        """The lines of the text with their ends, of which few at a time are in memory; of an archive, its file is.

        `newline`: what ends a line; with an empty one it may also be a carriage return, see `open`.
        """
        try:
            is_utf8 = codecs.lookup(self.encoding).name == "utf-8"
            encoding = "utf-8-sig" if is_utf8 else self.encoding  # a byte-order mark is no text
            content = self._stream()
            _refuse_utf8(content.read(_HEAD), encoding, self.name)
            content.seek(0)
            with io.TextIOWrapper(content, encoding, newline=newline) as stream:
                for line in stream:
                    if not is_utf8 and has_half(line):
                        raise ValueError
                    yield line
        except (LookupError, ValueError):
            self.text()  # says at which byte, and what to write
            raise

    def _stream(self) -> BinaryIO:
        return io.BytesIO(self._found()[1]) if self._is_packed() else self.path.open("rb")

    def _is_packed(self) -> bool:
        return is_archive_name(self.name) or is_archive(self.path)

    def _found(self) -> tuple[str, bytes]:
        """Name for messages, and content."""
        if not self._is_packed():
            return self.name, self.path.read_bytes()
        try:
            ((member, content),) = read_members(self.path, [self.member or self._only_member()])
        except DataError as error:
            raise DataError(f"{self.name}: {error}") from error
        return f"{self.name}, {member}", content

    def _only_member(self) -> str:
        names = member_names(self.path)
        ending = _ENDINGS.get(self.format, ".csv")
        fitting = [name for name in names if name.lower().endswith(ending)]
        if len(fitting) != 1:
            raise DataError(
                f"the archive holds {len(fitting)} files {ending}, expected one. "
                f"Write member: <name> in the reader. Members: {listed(map(repr, names))}."
            )
        return fitting[0]


def parquet_batches(
    path: Path, wanted: Iterable[Column | None], *, joined: str | None = None
) -> Iterator[Records]:
    """The wanted columns that exist, of which a batch of rows at a time is in memory."""
    from sentflow.files.parquet_columns import column_batches, column_names

    header, done = column_names(path), 0
    wanted = set(wanted)
    names = [name for name in header if name in wanted]
    for values in column_batches(path, names):
        records = typed_records(path.name, header, values, joined=joined, after=done)
        yield records
        done += len(records)
    if not done:  # says whether it has no rows, or none of these columns
        yield typed_records(path.name, header, dict.fromkeys(names, ()), joined=joined)
