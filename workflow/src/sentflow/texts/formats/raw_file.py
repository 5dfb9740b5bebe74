"""A raw file as bytes and text: by itself, or as the one file of its kind in an archive."""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sentflow.errors import DataError
from sentflow.files.archives.limits import is_archive_name
from sentflow.files.archives.members import is_archive, member_names, read_members
from sentflow.files.io import has_half
from sentflow.texts.decoding import decode
from sentflow.texts.formats.records import listed

_ENDINGS = {
    "arff": ".arff",
    "assin-xml": ".xml",
    "blocks": ".txt",
    "json": ".json",
    "jsonl": ".jsonl",
    "tsv": ".tsv",
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
            with io.TextIOWrapper(self._stream(), encoding, newline=newline) as stream:
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
