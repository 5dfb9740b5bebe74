"""Whether a file is that of the catalog."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.config.datasets import File
from sentflow.errors import DataError
from sentflow.files.archives.limits import is_archive_name
from sentflow.files.archives.members import check_archive, is_archive, members_sha256
from sentflow.files.io import file_sha256


def verify(path: Path, file: File, *, name: str | None = None) -> None:
    """Compare a file with its catalog entry, and check it if it is an archive.

    Raises DataError: another size or checksum (both are named), or an archive that is not safe to read.
    """
    if file.sha256 is not None:
        _compare(path, "SHA-256", file_sha256(path), file.sha256)
    elif file.bytes is not None and path.stat().st_size != file.bytes:
        raise DataError(f"has {path.stat().st_size} bytes, expected {file.bytes}")
    if is_archive_name(name or path.name) or is_archive(path):
        check_archive(path)
    if file.members_sha256 is not None and file.members_under is not None:
        actual = members_sha256(path, file.members_under)
        _compare(path, f"SHA-256 of the members under {file.members_under}", actual, file.members_sha256)


def verify_again(path: Path, entry: Mapping[str, Any]) -> None:
    """Hash a raw file again before it is read: it may have been changed or cut since it was downloaded.

    `entry`: its catalog entry; one without addresses says nothing about the content.
    """
    if not entry.get("urls") or not path.is_file():
        return
    try:
        verify(path, File.model_validate(entry))
    except DataError as error:
        raise DataError(
            f"{path} is not the file of the catalog: {error} Delete it to fetch it again."
        ) from error


def _compare(path: Path, what: str, actual: str, expected: str) -> None:
    if actual == expected:
        return
    hint = (
        " It is a web page: the server sent an HTML page instead of the file." if _is_web_page(path) else ""
    )
    raise DataError(f"{what} is {actual}, expected {expected} ({path.stat().st_size} bytes).{hint}")


def _is_web_page(path: Path) -> bool:
    with path.open("rb") as stream:
        start = stream.read(200).lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html"))
