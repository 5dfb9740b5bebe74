"""What the catalog says of a file, and whether a file is that."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sentflow.downloads.mirrors import is_remote
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.limits import is_archive_name
from sentflow.files.archives.members import check_archive, is_archive, members_sha256
from sentflow.files.io import file_sha256


@dataclass(frozen=True)
class CatalogFile:
    """What the catalog says of one file.

    Attributes
    ----------
    urls
        Addresses in the order to try; paths of this machine are allowed.
    sha256
        Of the file, 64 hexadecimal digits; or None.
    members_sha256, members_under
        For an archive that several places pack differently: the checksum of its members below a folder (see
        `archives.members_sha256`), instead of `sha256`.
    bytes
        Size of the file, where known.
    """

    urls: tuple[str, ...]
    sha256: str | None = None
    members_sha256: str | None = None
    members_under: str | None = None
    bytes: int | None = None

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "CatalogFile":
        """The catalog entry of a file.

        Raises
        ------
        ConfigError
            Unknown key, no address, or an address on the network without a checksum.
        """
        known = [field.name for field in fields(cls)]
        if unknown := sorted(set(settings) - set(known)):
            raise ConfigError(f"{where}: unknown key {', '.join(unknown)}. Known: {', '.join(known)}.")
        file = cls(**{**settings, "urls": tuple(settings.get("urls", ()))})
        if not file.urls:
            raise ConfigError(f"{where}: no address. Write urls: [address, ...].")
        if (file.members_sha256 is None) != (file.members_under is None):
            raise ConfigError(f"{where}: members_sha256 and members_under belong together.")
        if not file.has_checksum and any(is_remote(url) for url in file.urls):
            raise ConfigError(
                f"{where}: a file from the network needs a checksum. Write sha256: <64 digits>."
            )
        return file

    @property
    def has_checksum(self) -> bool:
        """Whether the content is known; only a file of this machine may do without."""
        return self.sha256 is not None or self.members_sha256 is not None


def verify(path: Path, file: CatalogFile, *, name: str | None = None) -> None:
    """Compare a file with its catalog entry, and check it if it is an archive.

    Parameters
    ----------
    path
        The file.
    file
        What it should be.
    name
        Its real name while it lies under a temporary one.

    Raises
    ------
    DataError
        Another size or checksum (both are named), or an archive that is not safe to read.
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

    Parameters
    ----------
    path
        The file; one that is missing is the reader's to tell.
    entry
        Its catalog entry; one without addresses says nothing about the content.

    Raises
    ------
    DataError
        The file is not that of the catalog.
    """
    if not entry.get("urls") or not path.is_file():
        return
    try:
        verify(path, CatalogFile.from_settings(entry, where=path.name))
    except DataError as error:
        raise DataError(
            f"{path} is not the file of the catalog: {error} Delete it to fetch it again."
        ) from error


def _compare(path: Path, what: str, actual: str, expected: str) -> None:
    if actual == expected.lower():
        return
    hint = (
        " It is a web page: the server sent an HTML page instead of the file." if _is_web_page(path) else ""
    )
    raise DataError(f"{what} is {actual}, expected {expected.lower()} ({path.stat().st_size} bytes).{hint}")


def _is_web_page(path: Path) -> bool:
    with path.open("rb") as stream:
        start = stream.read(200).lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html"))
