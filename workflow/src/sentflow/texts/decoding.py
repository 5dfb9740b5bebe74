"""Bytes of a text file into text, with an error that says where and what to write."""

import codecs

from sentflow.errors import ConfigError, DataError
from sentflow.files.io import has_half

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
            "stored. Write the file's own encoding, e.g. encoding: utf-8."
        )
    return text


def _misfit(content: bytes, offset: int, encoding: str, where: str) -> str:
    line = content.count(b"\n", 0, offset) + 1
    text = f"{where}: byte {offset} (line {line}), 0x{content[offset]:02x}, cannot be decoded as {encoding}."
    if content.startswith(_UTF16_MARKS):
        return f"{text} The file looks like UTF-16: write encoding: utf-16."
    character = content[offset : offset + 1].decode("cp1252", errors="replace")
    return (
        f"{text} Write the file's own encoding in its reader, e.g. encoding: cp1252 "
        f"(there this byte is {character!r})."
    )
