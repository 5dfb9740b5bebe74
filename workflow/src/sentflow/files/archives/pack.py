"""The files of a folder as one archive, and back: a plain tar, the same in every byte for the same files."""

import hashlib
import os
import shutil
import socket
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from io import BufferedReader
from pathlib import Path

from sentflow.errors import DataError
from sentflow.files.archives.limits import Member
from sentflow.files.archives.members import tar_contents
from sentflow.files.atomic import atomic, is_running, not_written
from sentflow.files.io import file_sha256
from sentflow.files.limits import MIB, limited
from sentflow.jobs.lifeline import refuse_orphan

_DATE = 315_532_800  # 1980-01-01: programs warn of members without a date


def pack(folder: Path, names: Iterable[str], archive: Path) -> None:
    """Write files of a folder into an archive, whole or not at all.

    `names`: relative to the folder, which become those of the members. Order, dates, owners and rights of the files
    count for nothing. Raises DataError: the archive cannot be written. Raises FileNotFoundError: a file is missing.
    """
    with atomic(archive) as part, tarfile.open(part, "w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(names):
            with (folder / name).open("rb") as stream:
                about = tarfile.TarInfo(name)
                about.size, about.mtime = os.fstat(stream.fileno()).st_size, _DATE
                tar.addfile(about, stream)


def checksums_of(archive: Path) -> dict[str, str]:
    """Name of each member of an archive that `pack` wrote → its SHA-256. Raises DataError: it is damaged."""
    with limited(unpacked_bytes=max(1, archive.stat().st_size)):  # nothing is packed
        contents = tar_contents(archive)
        return {member.name: hashlib.file_digest(stream, "sha256").hexdigest() for member, stream in contents}


def unpack(archive: Path, files: Mapping[str, str], folder: Path) -> None:
    """Make a folder of exactly these files of an archive, whole or not at all; one that is whole is left as it is.

    Several processes may do so at the same time. `files`: name of a member → its SHA-256. Raises DataError: the archive
    is damaged, has other members or other contents than these, or the folder cannot be written.
    """
    if is_whole(folder, files):
        return
    if not archive.is_file():
        raise DataError(f"{archive} is missing. Run snakemake again, which makes it.")
    part = own_place(folder)
    try:
        part.mkdir(parents=True)
        try:
            _unpack(archive, files, part)
        except DataError as error:
            raise DataError(f"{archive}: {error}. Delete it and run snakemake again.") from error
        move_whole(part, folder, files)
    except OSError as error:
        raise DataError(not_written(folder, error)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def packed(archive: Path) -> Iterator[tuple[Member, BufferedReader]]:
    """Members of what `pack` wrote and their contents, each good until the next. DataError: it is damaged."""
    with limited(unpacked_bytes=max(1, archive.stat().st_size)):  # nothing is compressed: it cannot grow
        yield from tar_contents(archive)


def is_whole(folder: Path, files: Mapping[str, str]) -> bool:
    """Whether a folder holds exactly these files, as regular ones with these checksums."""
    try:
        found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
        return found.keys() == files.keys() and all(
            not path.is_symlink() and file_sha256(path) == files[name].lower() for name, path in found.items()
        )
    except OSError:  # another process is at it
        return False


def move_whole(part: Path, folder: Path, files: Mapping[str, str]) -> None:
    """Give a folder of these files, just made, its name, unless another process was first; replace a damaged one."""
    refuse_orphan()
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        part.rename(folder)
    except OSError:
        if not is_whole(folder, files):
            shutil.rmtree(folder, ignore_errors=True)
            part.rename(folder)


def own_place(folder: Path) -> Path:
    """Beside the folder, by machine and process; what dead processes of this machine left is deleted."""
    mark = f".{folder.name}.{socket.gethostname()}."
    for path in folder.parent.glob(f"{mark}*"):
        number = path.name.removeprefix(mark)
        if number.isdecimal() and (int(number) == os.getpid() or not is_running(int(number))):
            shutil.rmtree(path, ignore_errors=True)
    return folder.with_name(f"{mark}{os.getpid()}")


def _unpack(archive: Path, files: Mapping[str, str], folder: Path) -> None:
    left = dict(files)
    for member, stream in packed(archive):
        if member.fault:
            raise DataError(f"its member {member.name!r} {member.fault}")
        if member.name not in left:
            raise DataError(f"its member {member.name!r} is not expected there, or not twice")
        expected, digest = left.pop(member.name).lower(), hashlib.sha256()
        path = folder / member.name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as out:
            while chunk := stream.read(MIB):
                digest.update(chunk)
                out.write(chunk)
        if (found := digest.hexdigest()) != expected:
            raise DataError(f"its member {member.name!r} has SHA-256 {found}, expected {expected}")
    if left:
        raise DataError(f"it has no member {min(left)!r}")
