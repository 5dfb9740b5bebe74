"""What a job requests, of memory and of time: more with each attempt, and with the vectors it reads."""

import math
from collections.abc import Callable
from typing import Any

Request = Callable[..., int]


def memory_mb(first: int, *, per_input: float = 0.0) -> Request:
    """The resource ``mem_mb`` of a rule.

    Parameters
    ----------
    first
        MB of the first attempt; the second requests twice as much, the third three times.
    per_input
        MB for each MB of input files, beside `first`: rows × width × 4 bytes of vectors, as often as the job holds
        them. Where the files are not there yet, as in a plan, nothing; Snakemake asks again before the job starts.
    """

    def request(_wildcards: Any, input: Any, attempt: int) -> int:
        return math.ceil(first + per_input * _size_mb(input)) * attempt

    return request if per_input else _grown(first)


def minutes(first: int) -> Request:
    """The resource ``runtime`` of a rule, which also grows with the attempt.

    Parameters
    ----------
    first
        Of the first attempt.
    """
    return _grown(first)


def _grown(first: int) -> Request:
    def request(_wildcards: Any, attempt: int) -> int:
        return first * attempt

    return request


def _size_mb(files: Any) -> float:
    # Loaded already: only Snakemake calls this.
    from snakemake_interface_storage_plugins.exceptions import FileOrDirectoryNotFoundError

    try:
        return float(files.size_mb)
    except FileOrDirectoryNotFoundError:
        return 0.0
