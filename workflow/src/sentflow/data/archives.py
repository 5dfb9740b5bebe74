"""Zip archives of strangers: checked as a whole, then read member by member, never unpacked to disk."""

import hashlib
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sentflow.errors import DataError

MAX_MEMBERS = 200_000
MAX_BYTES = 4 * 2**30  # of all members together, unpacked
MAX_RATIO = 200  # unpacked to packed; text deflates to a tenth, a bomb to a thousandth
RATIO_FROM_BYTES = 10 * 2**20  # smaller members may be one repeated sign without doing harm
# zipfile raises NotImplementedError for a way of packing that it does not know, RuntimeError for an encrypted member
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


def check_archive(path: Path) -> None:
    """Refuse an archive that is damaged or that could do harm.

    Raises
    ------
    DataError
        Not a zip; or a member has an absolute path or one that climbs out, is a link or a device, is
        encrypted, or occurs twice; or the members are too many or too large. Names the members.
    """
    with _opened(path) as archive:
        members = archive.infolist()
        problems = [f"member {info.filename!r} {fault}" for info in members if (fault := _fault(info))]
        counts = Counter(info.filename for info in members)
        problems += [f"member {name!r} occurs {n} times" for name, n in counts.items() if n > 1]
        if len(members) > MAX_MEMBERS:
            problems.append(f"holds {len(members)} members, more than {MAX_MEMBERS}")
        if (total := sum(info.file_size for info in members)) > MAX_BYTES:
            problems.append(f"unpacks to {total} bytes, more than {MAX_BYTES}")
    if problems:
        shown = problems[:10] + ([f"{len(problems) - 10} more"] if len(problems) > 10 else [])
        raise DataError("not a safe archive: " + "; ".join(shown))


def member_names(path: Path) -> list[str]:
    """Names of the files in an archive, sorted; neither folders nor the notes of macOS (``__MACOSX/``)."""
    with _opened(path) as archive:
        return sorted(
            info.filename
            for info in archive.infolist()
            if not info.is_dir() and not info.filename.startswith("__MACOSX/")
        )


def read_members(path: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Name and content of the given members, one after the other.

    Raises
    ------
    DataError
        The archive or a member is damaged, or there is no such member.
    """
    with _opened(path) as archive:
        if absent := sorted(set(names) - set(archive.namelist())):
            raise DataError(f"the archive has no member {absent[0]!r}")
        for name in names:
            yield name, archive.read(name)


def members_under(path: Path, root: str) -> dict[str, str]:
    """Members in a folder of the archive, wherever that folder lies.

    GitHub puts everything into a folder ``<name>-<commit>/``, a mirror's archive may not.

    Parameters
    ----------
    path
        Zip archive.
    root
        Name of the folder, e.g. ``"size_normalized_texts"``.

    Returns
    -------
    dict
        Path below the root → name of the member, sorted by path.

    Raises
    ------
    DataError
        Nothing lies there, or two folders of that name hold the same path.
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
    newline. Dates, compression, order and prefix folder of the archive do not count.
    """
    digest = hashlib.sha256()
    names = members_under(path, root)
    contents = read_members(path, list(names.values()))
    for below_root, (_, content) in zip(names, contents, strict=True):
        digest.update(f"{below_root}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _DAMAGE as error:
        raise DataError(f"not a readable zip archive: {error}") from error


def _fault(info: zipfile.ZipInfo) -> str | None:
    # orig_filename: zipfile itself cuts the name at a NUL and turns the local separator around
    name = info.orig_filename
    parts = re.split(r"[/\\]", name)
    if not name or "\0" in name:
        return "has no proper name"
    if parts[0] == "" or re.match(r"[A-Za-z]:", name):
        return "has an absolute path"
    if ".." in parts:
        return "climbs out of its folder"
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or a device"
    if info.flag_bits & 0x1:
        return "is encrypted"
    if info.file_size > max(RATIO_FROM_BYTES, MAX_RATIO * info.compress_size):
        return f"unpacks from {info.compress_size} to {info.file_size} bytes, like a bomb"
    return None
