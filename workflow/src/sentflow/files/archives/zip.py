"""Members of a zip archive, read one by one."""

import lzma
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any

from sentflow.errors import DataError
from sentflow.files.archives.limits import Member, name_fault
from sentflow.files.limits import limits

# zipfile raises NotImplementedError for a way of packing that it does not know, RuntimeError for an encrypted member,
# OSError where its directory says that a member begins before the file
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
)


def members(path: Path) -> list[Member]:
    """All members, with their faults. Raises DataError: the file is no zip, or damaged."""
    with _opened(path) as archive:
        return [
            Member(info.filename, info.file_size, info.is_dir(), _fault(info)) for info in archive.infolist()
        ]


def contents(path: Path, names: Sequence[str]) -> Iterator[tuple[str, BufferedReader]]:
    """Name and content of the given members, in the given order; each stream is good until the next.

    A member ends after as many bytes as the archive says, whatever more its packed data would give.
    """
    with _opened(path) as archive:
        packed = path.stat().st_size
        if sum(archive.getinfo(name).file_size for name in names) > limits().unpacked_from(packed):
            raise DataError(f"not a safe archive: {limits().unpacked_words(packed)}")
        for name in names:
            with archive.open(name) as stream:
                yield name, BufferedReader(_Content(stream))


class _Content(RawIOBase):
    """A member whose damage, found while it is read, is a `DataError` like any other."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = self._stream.read(len(buffer))
        except _DAMAGE as error:
            raise DataError(f"not a readable zip archive: {error}") from error
        buffer[: len(found)] = found
        return len(found)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _DAMAGE as error:
        raise DataError(f"not a readable zip archive: {error}") from error


def _fault(info: zipfile.ZipInfo) -> str | None:
    # orig_filename: zipfile itself cuts the name at a NUL and turns the local separator around
    if fault := name_fault(info.orig_filename):
        return fault
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or a device"
    if info.flag_bits & 0x1:
        return "is encrypted"
    return None
