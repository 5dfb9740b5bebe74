"""Bytes of a text file into text, with an error that says where and what to write."""

import codecs
import csv
import io

from sentflow.errors import ConfigError, DataError
from sentflow.files.io import has_half

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(content: bytes, encoding: str, *, where: str) -> str:
    """Decode a whole file; a byte-order mark at its start is no text and is dropped.

    Parameters
    ----------
    content
        The file.
    encoding
        Any name that Python knows.
    where
        Name of the file, for messages.

    Raises
    ------
    ConfigError
        There is no such encoding.
    DataError
        A byte does not fit; names it by offset (from 0) and line (from 1).
    """
    try:
        utf8 = codecs.lookup(encoding).name == "utf-8"
        skipped = len(codecs.BOM_UTF8) if utf8 and content.startswith(codecs.BOM_UTF8) else 0
        text = content[skipped:].decode(encoding)
    except LookupError:  # no such codec, or one that is not for texts, such as zlib
        raise ConfigError(
            f"{where}: {encoding!r} is not an encoding. Write e.g. encoding: utf-8 or encoding: cp1252."
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(_misfit(content, skipped + error.start, encoding, where)) from error
    except ValueError as error:  # a codec that is not made for files, such as idna; a name with a NUL
        raise DataError(
            f"{where}: it does not fit {encoding!r} ({error}). Write e.g. encoding: utf-8."
        ) from error
    if not utf8 and has_half(text):
        raise DataError(
            f"{where}: in the encoding {encoding}, a text holds half of a character, which no file can hold. Write the "
            "file's own encoding, e.g. encoding: utf-8."
        )
    return text


def csv_records(
    text: str, delimiter: str, *, where: str, quoting: bool = True
) -> tuple[list[str], list[list[str]]]:
    """Header and records of a CSV; blank lines are skipped, line breaks inside quotes are kept.

    Every field stays as it is written: ``NA`` and ``null`` are texts like any other.

    Parameters
    ----------
    text, delimiter
        The file, and the sign between its columns.
    where
        Name of the file, for messages.
    quoting
        Whether quotes enclose fields. Otherwise a quote is a sign like any other, and a line is a record.

    Raises
    ------
    DataError
        No header, no records, broken quoting, or records with another number of fields than the header
        (named by line, the header is line 1).
    """
    numbered = (quoted_records if quoting else plain_records)(text, delimiter, where=where)
    if len(numbered) < 2:
        raise DataError(
            f"{where} is empty: " + ("a header without rows." if numbered else "no header, no rows.")
        )
    (_, header), *rows = numbered
    ragged = [(line, len(record)) for line, record in rows if len(record) != len(header)]
    if ragged:
        lines = ", ".join(f"line {line} has {n}" for line, n in ragged[:10])
        raise DataError(
            f"{where}: the header has {len(header)} fields, but {lines}"
            + (f" and {len(ragged) - 10} more" if len(ragged) > 10 else "")
            + f". Is {delimiter!r} the delimiter"
            + (", and are texts with it in quotes?" if quoting else "?")
        )
    return header, [record for _, record in rows]


def quoted_records(text: str, delimiter: str, *, where: str) -> list[tuple[int, list[str]]]:
    """Number of the last line (from 1) and fields of each record that is not blank.

    Raises
    ------
    DataError
        Broken quoting.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    numbered: list[tuple[int, list[str]]] = []
    field_limit = csv.field_size_limit(len(text) + 1)  # a bill is longer than the module's 131,072 signs
    try:
        for record in reader:
            if record:
                numbered.append((reader.line_num, record))
    except csv.Error as error:
        raise DataError(
            f"{where}, line {reader.line_num}: {error}. The file is cut short, or its quotes are not doubled."
        ) from error
    finally:
        csv.field_size_limit(field_limit)
    return numbered


def plain_records(text: str, delimiter: str, *, where: str) -> list[tuple[int, list[str]]]:
    """Number (from 1) and fields of each line that is not blank, where quotes mean nothing."""
    del where  # nothing can be wrong with it; the arguments are those of `quoted_records`
    return [(number, line.split(delimiter)) for number, line in enumerate(plain_lines(text), start=1) if line]


def plain_lines(text: str) -> list[str]:
    """Lines that end with a line feed, or with a carriage return and one; the last line may lack its end.

    Only these end a line: sentences hold other signs that Python counts as line ends.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _misfit(content: bytes, offset: int, encoding: str, where: str) -> str:
    line = content.count(b"\n", 0, offset) + 1
    text = f"{where}: byte {offset} (line {line}), 0x{content[offset]:02x}, does not fit {encoding}."
    if content.startswith(_UTF16_MARKS):
        return f"{text} The file starts like UTF-16: write encoding: utf-16."
    sign = content[offset : offset + 1].decode("cp1252", errors="replace")
    return (
        f"{text} Write the file's own encoding in its reader, e.g. encoding: cp1252 "
        f"(there this byte is {sign!r})."
    )
