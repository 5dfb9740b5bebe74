"""Archives from outside, zip or tar: checked as a whole, then read member by member, never unpacked as a whole.

What an archive is, is read from its content; its name is not trusted. A tar has no table of contents: one must unpack
all of it to know what it holds. So every byte is counted while it is unpacked, and an archive that grows beyond its
limits is left at once.
"""

import bz2
import gzip
import hashlib
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from sentflow.errors import DataError
from sentflow.files.archives.limits import Member, name_fault, place
from sentflow.files.limits import TAR_HEADER_BYTES, limits

_Members = Callable[[Path], list[Member]]
_Contents = Callable[[Path, Sequence[str]], Iterator[tuple[str, BufferedReader]]]
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")  # a member; the end of an empty archive


def is_archive(path: Path) -> bool:
    """Whether the content of a file is a zip or a tar (plain, or packed by gzip, bzip2 or xz)."""
    return _format(path) is not None


def check_archive(path: Path) -> None:
    """Refuse an archive that is damaged or that could do harm.

    Raises DataError: not an archive; or a member has an absolute path or one that climbs out, is a link or a device,
    is encrypted, or occurs twice; or the members are too many or too large. Names the members.
    """
    members = _reader(path)[0](path)
    problems = [f"member {member.name!r} {member.fault}" for member in members if member.fault]
    problems += [f"member {name!r} occurs {n} times" for name, n in _repeated(members).items()]
    if len(members) > limits().archive_members:
        problems.append(
            f"holds {len(members)} members, more than {limits().archive_members} (limits.archive_members)"
        )
    # by the size of the file, not by what members say of theirs: that may be wrong, and they may share their bytes
    packed, total = path.stat().st_size, sum(member.size for member in members)
    if total > limits().unpacked_from(packed):
        problems.append(f"unpacks from {packed} to {total} bytes, {limits().unpacked_words(packed)}")
    if problems:
        shown = problems[:10] + ([f"{len(problems) - 10} more"] if len(problems) > 10 else [])
        raise DataError("not a safe archive: " + "; ".join(shown))


def member_names(path: Path) -> list[str]:
    """Names of the files in an archive, sorted; neither folders nor the notes of macOS (``__MACOSX/``)."""
    return sorted(
        member.name
        for member in _reader(path)[0](path)
        if not member.is_folder and not member.name.startswith("__MACOSX/")
    )


def member_streams(path: Path, names: Sequence[str]) -> Iterator[tuple[str, BufferedReader]]:
    """Name and content of the given members as streams, in whatever order suits the archive.

    A stream is good until the next is asked for. For files that need not fit into memory.
    """
    members, contents = _reader(path)
    known = {member.name for member in members(path) if not member.is_folder}
    if absent := sorted(set(names) - known):
        raise DataError(f"the archive has no member {absent[0]!r}")
    yield from contents(path, names)


def read_members(path: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Name and content of the given members, in the given order."""
    found = {name: stream.read() for name, stream in member_streams(path, names)}
    yield from ((name, found[name]) for name in names)


def members_under(path: Path, root: str) -> dict[str, str]:
    """Members in a folder of the archive, wherever that folder lies.

    GitHub puts everything into a folder ``<name>-<commit>/``, a mirror's archive may not.

    `root`: name of the folder, e.g. ``"size_normalized_texts"``. Returns path below the root → name of the member,
    sorted by path.
    """
    mark = f"/{root.strip('/')}/"
    found = [(f"/{name}".split(mark, 1)[1], name) for name in member_names(path) if mark in f"/{name}"]
    if not found:
        raise DataError(f"the archive has no folder {root!r}")
    below_root = dict(sorted(found))
    if len(below_root) != len(found):
        raise DataError(f"the archive has several folders {root!r} with files of the same names")
    return below_root


def members_sha256(path: Path, root: str) -> str:
    """One checksum for the contents of a folder, whatever archive carries it.

    SHA-256 over one line per member, sorted by path: path below the root, NUL, SHA-256 of the bytes in hex,
    newline. Dates, format, compression, order and prefix folder of the archive do not count.
    """
    names = members_under(path, root)
    digests = {
        name: hashlib.file_digest(stream, "sha256").hexdigest()
        for name, stream in member_streams(path, list(names.values()))
    }
    lines = "".join(f"{below_root}\0{digests[name]}\n" for below_root, name in names.items())
    return hashlib.sha256(lines.encode()).hexdigest()


def _format(path: Path) -> tuple[_Members, _Contents] | None:
    with path.open("rb") as stream:
        start = stream.read(4)
    if start in _ZIP_STARTS:
        return _members_of_zip, _contents_of_zip
    return (_members_of_tar, _contents_of_tar) if _is_tar(path) else None


def _reader(path: Path) -> tuple[_Members, _Contents]:
    found = _format(path)
    if found is None:
        raise DataError("not a readable zip archive, nor a tar")
    return found


def _repeated(members: Sequence[Member]) -> dict[str, int]:
    """Names of which several members would lie at the same place → how many."""
    counts = Counter(place(member.name) for member in members)
    return {
        name: counts[place(name)]
        for name in dict.fromkeys(member.name for member in members)
        if counts[place(name)] > 1
    }


_BLOCK = tarfile.BLOCKSIZE
_CHUNK_BYTES = 1 << 17
_UNPACKERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
# tarfile raises ValueError for numbers in headers that are none; gzip and bz2 raise OSError
_TAR_DAMAGE = (
    *(tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, OverflowError),
    RecursionError,  # one long name after the other, each the name of the next
)


def _is_tar(path: Path) -> bool:
    """Whether the first block of a file, unpacked if need be, is the header of a tar."""
    try:
        with _unpacked(path) as stream:
            tarfile.TarInfo.frombuf(stream.read(_BLOCK), "utf-8", "surrogateescape")
    except _TAR_DAMAGE:
        return False
    return True


def _members_of_tar(path: Path) -> list[Member]:
    """All members, with their faults."""
    return [member for member, _ in tar_contents(path)]


def _contents_of_tar(path: Path, names: Sequence[str]) -> Iterator[tuple[str, BufferedReader]]:
    """Name and content of the given members, in the order of the archive; each stream is good until the next."""
    wanted = set(names)
    for member, stream in tar_contents(path):
        if member.name in wanted and not member.fault and not member.is_folder:
            yield member.name, stream


def tar_contents(path: Path) -> Iterator[tuple[Member, BufferedReader]]:
    """Members of a tar and their contents, one after the other, up to the very end of the file."""
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
                    end = counted.tell() + (info.size if info.isreg() else 0)
                    member = Member(_name(info), info.size, info.isdir(), _fault_of_tar(info))
                    yield member, BufferedReader(_Stream(partial(counted.read_before, end)))
            _check_end(counted)
    except _TAR_DAMAGE as error:
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
        except _TAR_DAMAGE as error:  # here too: the one who reads a member is not inside _walk
            raise DataError(f"not a readable tar archive: {error}") from error
        self._at += len(self.last)
        if self._at > self._limit:
            raise DataError(
                f"not a safe archive: unpacks to more than {self._limit} bytes, "
                f"{limits().unpacked_words(self._packed_bytes)}"
            )
        return self.last

    def read_before(self, end: int, size: int) -> bytes:
        """So many bytes of a member that ends at a place, or those that are left of it."""
        size = min(size, max(0, end - self._at), _CHUNK_BYTES)
        if len(found := self.read(size)) < size:
            raise DataError("not a readable tar archive: it is truncated")
        return found

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int) -> None:
        if offset < self._at:
            raise DataError("not a safe archive: a header refers to an earlier position")
        while self._at < offset and self.read(min(_CHUNK_BYTES, offset - self._at)):
            pass


class _Stream(RawIOBase):
    """Bytes that a function gives, as a stream."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._read(len(buffer))
        buffer[: len(found)] = found
        return len(found)


def _name(info: tarfile.TarInfo) -> str:
    # "tar -C folder ." begins every name with it
    return info.name.removeprefix("./")


def _fault_of_tar(info: tarfile.TarInfo) -> str | None:
    if info.issym() or info.islnk():
        return "is a link"
    if info.isdev():
        return "is a device"
    if info.issparse():
        return "has holes"
    if not info.isreg() and not info.isdir():
        return f"has an unknown type ({info.type!r})"
    return name_fault(info.name)


_ZSTANDARD = 93  # way of packing
_NAME_LENGTHS = 26  # where the header before a member has the lengths of its name and of what follows that
# zipfile raises NotImplementedError for a way of packing that it does not know, RuntimeError for an encrypted member,
# OSError where its directory says that a member begins before the file
_ZIP_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
)


def _members_of_zip(path: Path) -> list[Member]:
    """All members, with their faults. Raises DataError: the file is no zip, or damaged."""
    with _opened_zip(path) as archive:
        return [
            Member(info.filename, info.file_size, info.is_dir(), _fault_of_zip(info))
            for info in archive.infolist()
        ]


def _contents_of_zip(path: Path, names: Sequence[str]) -> Iterator[tuple[str, BufferedReader]]:
    """Name and content of the given members, in the given order; each stream is good until the next.

    A member ends after as many bytes as the archive says, whatever more its packed data would give.
    """
    with _opened_zip(path) as archive:
        packed = path.stat().st_size
        if sum(archive.getinfo(name).file_size for name in names) > limits().unpacked_from(packed):
            raise DataError(f"not a safe archive: {limits().unpacked_words(packed)}")
        for name in names:
            with _opened_member(archive, archive.getinfo(name)) as stream:
                yield name, BufferedReader(_Stream(partial(_read_zip, stream)))


@contextmanager
def _opened_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    """The content of a member; Zstandard, which zipfile reads from Python 3.14 on, is unpacked by pyarrow."""
    if info.compress_type != _ZSTANDARD or archive.fp is None:
        with archive.open(info) as stream:
            yield stream
        return
    import pyarrow

    archive.fp.seek(info.header_offset + _NAME_LENGTHS)
    lengths = struct.unpack("<HH", archive.fp.read(4))
    archive.fp.seek(sum(lengths), 1)
    packed = pyarrow.BufferReader(archive.fp.read(info.compress_size))
    try:
        content = pyarrow.CompressedInputStream(packed, "zstd").read(info.file_size)
    except pyarrow.ArrowException as error:
        raise zipfile.BadZipFile(str(error)) from error
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"member {info.filename!r} is damaged")
    yield BytesIO(content)


@contextmanager
def _opened_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _ZIP_DAMAGE as error:
        raise DataError(f"not a readable zip archive: {error}") from error


def _read_zip(stream: IO[bytes], size: int) -> bytes:
    """Damage that is found while a member is read is a `DataError` like any other."""
    try:
        return stream.read(size)
    except _ZIP_DAMAGE as error:
        raise DataError(f"not a readable zip archive: {error}") from error


def _fault_of_zip(info: zipfile.ZipInfo) -> str | None:
    # orig_filename: zipfile itself cuts the name at a NUL and turns the local separator around
    if fault := name_fault(info.orig_filename):
        return fault
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or a device"
    if info.flag_bits & 0x1:
        return "is encrypted"
    return None
