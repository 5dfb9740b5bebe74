"""Members of a tar archive, plain or packed by gzip, bzip2 or xz, read one by one in its order.

A tar has no table of contents: one must unpack all of it to know what it holds. So every byte is counted while it is
unpacked, and an archive that grows beyond its limits is left at once.
"""

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from sentflow.errors import DataError
from sentflow.files.archives.limits import Member, name_fault
from sentflow.files.limits import TAR_HEADER_BYTES, limits

_BLOCK = tarfile.BLOCKSIZE
_CHUNK_BYTES = 1 << 17
_UNPACKERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
# tarfile raises ValueError for numbers in headers that are none; gzip and bz2 raise OSError
_DAMAGE = (
    *(tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, OverflowError),
    RecursionError,  # one long name after the other, each the name of the next
)


def is_tar(path: Path) -> bool:
    """Whether the first block of a file, unpacked if need be, is the header of a tar."""
    try:
        with _unpacked(path) as stream:
            tarfile.TarInfo.frombuf(stream.read(_BLOCK), "utf-8", "surrogateescape")
    except _DAMAGE:
        return False
    return True


def members(path: Path) -> list[Member]:
    """All members, with their faults."""
    return [_member(info) for info, _ in _walk(path)]


def contents(path: Path, names: Sequence[str]) -> Iterator[tuple[str, BufferedReader]]:
    """Name and content of the given members, in the order of the archive; each stream is good until the next."""
    wanted = set(names)
    for info, stream in _walk(path):
        if _name(info) in wanted and info.isreg():
            yield _name(info), stream


def _walk(path: Path) -> Iterator[tuple[tarfile.TarInfo, BufferedReader]]:
    """Headers and contents, one after the other, up to the very end of the file."""
    try:
        with _unpacked(path) as stream:
            counted = _Counted(stream, path.stat().st_size)
            with tarfile.TarFile(fileobj=cast(IO[bytes], counted)) as archive:
                n_members = 0
                while (info := archive.next()) is not None:
                    n_members += 1
                    if n_members > limits().archive_members:
                        raise DataError(
                            f"not a safe archive: holds more than {limits().archive_members} members "
                            "(limits.archive_members)"
                        )
                    size = info.size if info.isreg() else 0
                    yield info, BufferedReader(_Part(counted, size))
            _check_end(counted)
    except _DAMAGE as error:
        raise DataError(f"not a readable tar archive: {error}") from error


def _check_end(counted: "_Counted") -> None:
    """tarfile takes a header that it cannot read for the end of the archive; the true end is a block of zeros."""
    if counted.last != bytes(_BLOCK):
        raise DataError("not a readable tar archive: it is damaged or truncated: it has no end marker")
    while rest := counted.read(_CHUNK_BYTES):
        if rest.strip(b"\0"):
            raise DataError("not a readable tar archive: there is data after its end")


@contextmanager
def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as stream:
        start = stream.read(6)
    unpack = next((opener for mark, opener in _UNPACKERS.items() if start.startswith(mark)), open)
    with unpack(path, "rb") as stream:
        yield stream


class _Counted:
    """A stream that goes forwards only and no further than a file of so many bytes may unpack to."""

    def __init__(self, stream: IO[bytes], packed_bytes: int) -> None:
        self._stream = stream
        self._packed_bytes = packed_bytes
        self._limit = limits().unpacked_from(packed_bytes)
        self._at = 0
        self.last = b""  # what was read last

    def read(self, size: int) -> bytes:
        if size > TAR_HEADER_BYTES:
            raise DataError(f"not a safe archive: a header of {size} bytes")
        try:
            self.last = self._stream.read(size)
        except _DAMAGE as error:  # here too: the one who reads a member is not inside _walk
            raise DataError(f"not a readable tar archive: {error}") from error
        self._at += len(self.last)
        if self._at > self._limit:
            raise DataError(
                f"not a safe archive: unpacks to more than {self._limit} bytes, "
                f"{limits().unpacked_words(self._packed_bytes)}"
            )
        return self.last

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int) -> None:
        if offset < self._at:
            raise DataError("not a safe archive: a header refers to an earlier position")
        while self._at < offset and self.read(min(_CHUNK_BYTES, offset - self._at)):
            pass


class _Part(RawIOBase):
    """The next bytes of a stream, as a stream of their own."""

    def __init__(self, stream: _Counted, size: int) -> None:
        self._stream = stream
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = min(len(buffer), self._left, _CHUNK_BYTES)
        found = self._stream.read(size)
        if len(found) < size:
            raise DataError("not a readable tar archive: it is truncated")
        buffer[:size] = found
        self._left -= size
        return size


def _name(info: tarfile.TarInfo) -> str:
    # "tar -C folder ." begins every name with it
    return info.name.removeprefix("./")


def _member(info: tarfile.TarInfo) -> Member:
    return Member(_name(info), info.size, info.isdir(), _fault(info))


def _fault(info: tarfile.TarInfo) -> str | None:
    if info.issym() or info.islnk():
        return "is a link"
    if info.isdev():
        return "is a device"
    if info.issparse():
        return "has holes"
    if not info.isreg() and not info.isdir():
        return f"has an unknown type ({info.type!r})"
    return name_fault(info.name)
