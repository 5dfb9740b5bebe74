"""Archives from outside, zip or tar: checked as a whole, then read member by member, never unpacked as a whole.

What an archive is, is read from its content; its name is not trusted.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from types import ModuleType

from sentflow.errors import DataError
from sentflow.files.archives import tar as tar_members
from sentflow.files.archives import zip as zip_members
from sentflow.files.archives.limits import Member, place
from sentflow.files.limits import limits

_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")  # a member; the end of an empty archive


def is_archive(path: Path) -> bool:
    """Whether the content of a file is a zip or a tar (plain, or packed by gzip, bzip2 or xz)."""
    return _format(path) is not None


def check_archive(path: Path) -> None:
    """Refuse an archive that is damaged or that could do harm.

    Raises DataError: not an archive; or a member has an absolute path or one that climbs out, is a link or a device,
    is encrypted, or occurs twice; or the members are too many or too large. Names the members.
    """
    members = _reader(path).members(path)
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
        for member in _reader(path).members(path)
        if not member.is_folder and not member.name.startswith("__MACOSX/")
    )


def member_streams(path: Path, names: Sequence[str]) -> Iterator[tuple[str, BufferedReader]]:
    """Name and content of the given members as streams, in whatever order suits the archive.

    A stream is good until the next is asked for. For files that need not fit into memory.
    """
    reader = _reader(path)
    known = {member.name for member in reader.members(path) if not member.is_folder}
    if absent := sorted(set(names) - known):
        raise DataError(f"the archive has no member {absent[0]!r}")
    yield from reader.contents(path, names)


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


def _format(path: Path) -> ModuleType | None:
    with path.open("rb") as stream:
        start = stream.read(4)
    if start in _ZIP_STARTS:
        return zip_members
    return tar_members if tar_members.is_tar(path) else None


def _reader(path: Path) -> ModuleType:
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
