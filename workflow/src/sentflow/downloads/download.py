"""A file of the catalog, from a mirror or its address, checked before anything can read it."""

import logging
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from sentflow.config.datasets import File
from sentflow.downloads.mirrors import MIRROR_VARIABLE, Place, is_remote, names_in_mirror, places
from sentflow.downloads.transfer import Patience, TransferError, fetch
from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.checksums import verify
from sentflow.files.limits import limits
from sentflow.jobs.lifeline import refuse_orphan
from sentflow.jobs.secrecy import without_secrets

logger = logging.getLogger(__name__)


def download(
    file: File,
    output: Path,
    *,
    mirrors: Sequence[str] = (),
    part: Path | None = None,
    patience: Patience | None = None,
) -> Place:
    """Bring a file to `output` from the first place that has it with the right checksum.

    An interrupted transfer leaves `part`, from which a later run goes on, and which is deleted when the file came from
    elsewhere; the whole is hashed before it gets its name. A file that is at `output` already stays if its checksum is
    right and is deleted if not.

    `output`: where the file shall lie; its ending tells whether it is an archive. `mirrors`: folders or base URLs,
    tried first; see `mirrors.places`. `part`: ``.<name>.part`` beside the output where left out. Returns the place it
    came from; `output` if it was there. Raises DataError: no place had it; lists each with its reason. Nothing is left
    under the name of `output`.
    """
    part = part or output.with_name(f".{output.name}.part")
    if output.exists() and _is_right(output, file):
        logger.info("%s exists and its checksum is correct", output)
        part.unlink(missing_ok=True)
        return output
    output.unlink(missing_ok=True)
    output.parent.mkdir(parents=True, exist_ok=True)
    reasons: list[str] = []
    for place in places(file.urls or (), mirrors):
        try:
            if isinstance(place, Path):
                _copy(place, output, file)
            else:
                _transfer(place, part, output, file, patience or Patience())
        except (DataError, TransferError) as error:
            reasons.append(without_secrets(f"{place}: {error}"))
            logger.warning("%s", reasons[-1])
        else:
            logger.info("%s: %d bytes from %s", output, output.stat().st_size, without_secrets(str(place)))
            part.unlink(missing_ok=True)
            return place
    raise DataError(_nowhere(output, file, reasons))


def _is_right(path: Path, file: File) -> bool:
    """Whether a file needs no download; without a checksum nobody can tell."""
    try:
        verify(path, file)
    except DataError as error:
        logger.warning("%s is not the file of the catalog and is fetched again: %s", path, error)
        return False
    return file.has_checksum


def _copy(source: Path, output: Path, file: File) -> None:
    _check_local(source, file)
    try:
        stream = source.open("rb")
    except OSError as error:
        raise DataError(error.strerror or str(error)) from error
    with stream, atomic(output) as part:
        with part.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        verify(part, file, name=output.name)


def _check_local(source: Path, file: File) -> None:
    """Refuse what never ends (a pipe, a device) before it is opened; a link to a file is one."""
    try:
        found = source.stat()
    except (OSError, ValueError) as error:
        raise DataError(getattr(error, "strerror", None) or str(error)) from error
    if not stat.S_ISREG(found.st_mode):
        raise DataError("is not a file, but a folder, a pipe or a device. Write the path of a file.")
    if file.bytes is not None and found.st_size > file.bytes:
        raise DataError(f"has {found.st_size} bytes, expected {file.bytes}")
    if file.bytes is None and found.st_size > limits().download_bytes:
        raise DataError(
            f"has {found.st_size} bytes, more than limits.download_bytes allows "
            f"({limits().download_bytes}). If the file is that large, raise the limit."
        )


def _transfer(url: str, part: Path, output: Path, file: File, patience: Patience) -> None:
    part.parent.mkdir(parents=True, exist_ok=True)
    joined = fetch(url, part, patience=patience, expected_bytes=file.bytes)
    try:
        _verify_part(part, output.name, file)
    except DataError as error:
        if not joined:
            raise
        # The first piece may have come from another place, or the file has changed since.
        logger.warning(
            "%s: the joined parts are not the expected file (%s); downloading it from the start",
            without_secrets(url),
            error,
        )
        fetch(url, part, patience=patience, expected_bytes=file.bytes)
        _verify_part(part, output.name, file)
    refuse_orphan()
    try:
        part.replace(output)
    except OSError:  # they are on different file systems
        with atomic(output) as copy:
            shutil.copyfile(part, copy)


def _verify_part(part: Path, name: str, file: File) -> None:
    """Verify a complete download; a wrong one is deleted, for there is nothing to go on from."""
    try:
        verify(part, file, name=name)
    except DataError:
        part.unlink()
        raise


def _nowhere(output: Path, file: File, reasons: Sequence[str]) -> str:
    tried = "\n".join(f"  - {reason}" for reason in reasons) or "  - nothing: it has no public address"
    text = f"{output} could not be obtained. Tried:\n{tried}"
    remote = [url for url in file.urls or () if is_remote(url)]
    if remote:
        names = " or ".join(names_in_mirror(url)[0] for url in remote)
        text += (
            "\nIf these addresses cannot be reached, set a mirror (a folder or base URL) in the config "
            "(mirrors: [...]) "
            f"or in the environment variable {MIRROR_VARIABLE}; the file is expected there as {names}."
        )
    return text
