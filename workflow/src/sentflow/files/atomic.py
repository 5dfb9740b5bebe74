"""Files that appear whole or not at all. What is in them is written by others."""

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sentflow.errors import DataError
from sentflow.jobs.lifeline import refuse_orphan

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@contextmanager
def atomic(path: Path | str) -> Iterator[Path]:
    """Give a temporary name in the same folder; rename it to `path` when the block ends well.

    The temporary name carries the process id, and an orphan of a killed run renames nothing, so that it never writes
    into a file that a later run owns. After an error nothing is left behind; what a killed process left of the same
    file is deleted. The folder is made if needed.

    Raises DataError: the file cannot be written: no room, no right, a file system that is read-only.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_parts_of_the_dead(path)
        yield part
        refuse_orphan()
        part.replace(path)
    except FileNotFoundError:
        raise  # the block wrote nothing: a defect of the program
    except OSError as error:
        raise DataError(not_written(path, error).replace(str(part), str(path))) from error
    finally:
        with suppress(OSError):  # a file system that has become read-only
            part.unlink(missing_ok=True)


def not_written(path: Path, error: OSError) -> str:
    """Why a file could not be written, and what to do; one paragraph."""
    if isinstance(error, IsADirectoryError):
        return not_a_file(path)
    reason = error.strerror or str(error)
    remedy = "Correct that and run again: finished files are kept."
    if error.errno in NOT_ALLOWED:
        remedy = (
            f"Nothing can be written to {path.parent}: check its owner, its permissions and how it is "
            "mounted, or use another folder with --directory."
        )
    elif error.errno in NO_ROOM or error.errno is None:  # NumPy does not pass on what the system said
        remedy = (
            f"The disk or your quota is full{_free(path)}. Free some space, or use another folder with "
            "--directory, and run again: finished files are kept."
        )
    return f"{path} could not be written: {reason}. {remedy}"


def _free(path: Path) -> str:
    with suppress(OSError):
        return f" ({shutil.disk_usage(path.parent).free / 1e6:.1f} MB free)"
    return ""


def _remove_parts_of_the_dead(path: Path) -> None:
    """Delete the temporary files for `path` of processes that this machine no longer runs.

    A process of another machine counts as dead: a job that was killed there is begun again here. Were it alive, its
    rename would fail, and it would write nothing wrong.
    """
    pattern = re.compile(re.escape(f".{path.name}.") + r"(\d+)\.part")
    with os.scandir(path.parent) as entries:
        found = [(entry.path, match) for entry in entries if (match := pattern.fullmatch(entry.name))]
    for part, match in found:
        if not is_running(int(match[1])):
            Path(part).unlink(missing_ok=True)


def is_running(process: int) -> bool:
    if os.name == "nt":  # there, the question would be a signal
        return True
    try:
        os.kill(process, 0)  # asks, and does nothing
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # of another user
        return True
    return True


def not_a_file(path: Path) -> str:
    """What to do about a folder that lies where a file belongs; only one below ``results`` is ours to be deleted."""
    if "results" in path.parts:
        return f"{path} is a folder, but must be a file. Delete that folder and run snakemake again."
    return f"{path} is a folder, but must be a file. Write the path of a file, or move the folder away."


def link_file(path: Path, place: Path) -> None:
    """Make a hard link to a file, with the date of now, or a copy where the file system has none."""
    refuse_orphan()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    try:
        place.hardlink_to(path)
        os.utime(place)
    except OSError:
        with atomic(place) as part:
            shutil.copyfile(path, part)
