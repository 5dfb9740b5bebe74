"""The life of a job hangs on the Snakemake that began it.

When Snakemake is killed, its jobs live on: they would compute on, and write later into files that the next run owns.
So a job ends as soon as Snakemake, or a shell between the two, is gone, and no file is published after that.
"""

import os
import threading
import time
from pathlib import Path

from sentflow.errors import SentflowError

VARIABLE = "SENTFLOW_SNAKEMAKE"
_EXIT_CODE = 3
_LOOK_EVERY_SECONDS = 0.2


class OrphanError(SentflowError):
    """The Snakemake that began this job is gone; what the job would write belongs to the next run."""


def name_of_this_process() -> str:
    """What jobs find in `VARIABLE`: the process that reads the Snakefile, and where its number means something."""
    return f"{os.getpid()} {_namespace()}".strip()


def end_with_snakemake() -> None:
    """Let this process end when its Snakemake does; a command that was typed by hand depends on nobody."""
    if VARIABLE in os.environ:
        refuse_orphan()
        threading.Thread(target=_watch, name="lifeline", daemon=True).start()


def refuse_orphan() -> None:
    """Raise OrphanError where the Snakemake that began this job is gone, or a shell between it and this process."""
    if is_orphan():
        raise OrphanError(_message())


def is_orphan() -> bool:
    """Whether this process was begun by a Snakemake that is no longer above it."""
    owner = _owner()
    if owner is None:
        return False
    if not Path("/proc/self/stat").exists():  # macOS
        return os.getppid() == 1
    return owner not in _ancestors()


def _ancestors() -> list[int]:
    """The parent of this process, its parent, and so on; psutil, which knows them, takes long to import."""
    ancestors: list[int] = []
    parent = os.getppid()
    while parent > 0 and parent not in ancestors:
        ancestors.append(parent)
        parent = _parent(parent)
    return ancestors


def _watch() -> None:
    while not is_orphan():
        time.sleep(_LOOK_EVERY_SECONDS)
    os.write(2, f"\nerror: {_message()}\n".encode())
    os._exit(_EXIT_CODE)


def _owner() -> int | None:
    """Snakemake's process; None if none is named, or it cannot be seen from here."""
    number, _, namespace = os.environ.get(VARIABLE, "").partition(" ")
    return int(number) if number.isdecimal() and namespace == _namespace() else None


def _namespace() -> str:
    """Where numbers of processes mean the same; a container may have its own."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _parent(process: int) -> int:
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[1])  # the name before it may hold anything


def _message() -> str:
    return (
        f"the Snakemake (process {_owner()}) that started this job, or the shell between them, has ended. The job "
        "stops and writes nothing more; the next run repeats it."
    )
