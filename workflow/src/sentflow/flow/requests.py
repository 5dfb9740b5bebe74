"""What a job requests: memory and time, more with each attempt and with the vectors it reads; and threads."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

Request = Callable[..., int]


def asks(
    memory_mb: int, minutes: int, *, per_input: float | Callable[[Any], float] = 0.0, of: str = ""
) -> dict[str, Request]:
    """The resources ``mem_mb`` and ``runtime`` of a rule; each attempt requests as much again as the first.

    Parameters
    ----------
    memory_mb, minutes
        Of the first attempt.
    per_input
        MB for each MB of input files, beside `memory_mb`: rows × width × 4 bytes of vectors, as often as the job holds
        them; or a function of the wildcards that gives it. Where the files are not there yet, as in a plan, nothing;
        Snakemake asks again before the job starts.
    of
        Name of the input files that count; without it all do.
    """

    def request(wildcards: Any, input: Any, attempt: int) -> int:
        times = per_input(wildcards) if callable(per_input) else per_input
        return math.ceil(memory_mb + times * _size_mb(input, of)) * attempt

    return {"mem_mb": request if per_input else _grown(memory_mb), "runtime": _grown(minutes)}


def beside_others(threads: Callable[[Any], int], cores: int | None) -> Callable[[Any], int]:
    """Threads of a rule that leaves half of the cores to other jobs.

    Two jobs that each load a library for seconds on one core end sooner side by side than one after the other.

    Parameters
    ----------
    threads
        What a job has use for, of its wildcards.
    cores
        Of this machine; None where jobs go to other machines.
    """
    if cores is None:
        return threads
    return lambda wildcards: max(1, min(threads(wildcards), cores // 2))


def _grown(first: int) -> Request:
    def request(_wildcards: Any, attempt: int) -> int:
        return first * attempt

    return request


def _size_mb(files: Any, name: str) -> float:
    counted = files.get(name) if name else files
    if any(file.is_storage for file in counted):
        # What Snakemake gives by name is a list without a size of its own; it starts an event loop for every job.
        return _size_in_storage_mb(type(files)(toclone=counted))
    try:
        return sum(Path(file).stat().st_size for file in counted) / 2**20
    except FileNotFoundError:
        return 0.0


def _size_in_storage_mb(files: Any) -> float:
    # Loaded already: only Snakemake calls this.
    from snakemake_interface_storage_plugins.exceptions import FileOrDirectoryNotFoundError

    try:
        return float(files.size_mb)
    except FileOrDirectoryNotFoundError:
        return 0.0
