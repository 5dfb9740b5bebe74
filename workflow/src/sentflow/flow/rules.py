"""What rules have in common: their log, benchmark and environment, tables as inputs, requests of memory and threads."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from sentflow.flow import paths

Request = Callable[..., int]
Files: TypeAlias = str | Sequence[str] | Callable[[Any], str | Sequence[str]]
"""A pattern, files, or what gives either of the wildcards of a job."""


def complete(rules: Iterable[Any], environment: str) -> None:
    """Give the rules of a Snakefile what all of them have: a log, a benchmark and the environment of ``--sdm conda``.

    Log and benchmark are named by the wildcards of the first output: ``results/logs/probe/TASK/MODEL.log``.
    """
    for rule in rules:
        if not rule.norun:
            key = _key(rule.output[0]) if rule.output else "all"
            rule.log_modifier = rule.benchmark_modifier = rule.output_modifier
            rule.set_log(paths.log(rule.name, key))
            rule.benchmark = paths.benchmark(rule.name, key)
            rule.conda_env = environment


def _key(output: str) -> str:
    from snakemake.io import strip_wildcard_constraints

    parts = re.findall(r"(?<![\w-])[\w-]*(?:\{\w+\})+", strip_wildcard_constraints(output))
    # The value of a study ends with a slash, or is empty
    return "/".join(parts).replace("{study}/", "{study}") or "all"


def with_digest(**table: str) -> dict[str, str]:
    """An output by its name, and its ``digest``."""
    return {**table, "digest": paths.digest(*table.values())}


def digested(**tables: Files) -> dict[str, Any]:
    """Inputs by name, whose dates count for nothing, and ``digests``, which Snakemake compares in their stead."""
    from snakemake.io import ancient

    def digests(wildcards: Any) -> list[str]:
        return list(
            dict.fromkeys(
                paths.digest(file) for given in tables.values() for file in _files(given, wildcards)
            )
        )

    patterns = [paths.digest(given) for given in tables.values() if isinstance(given, str)]
    return {
        "digests": patterns if len(patterns) == len(tables) else digests,
        **{name: ancient(given) for name, given in tables.items()},
    }


def _files(given: Files, wildcards: Any) -> Iterator[str]:
    files = given(wildcards) if callable(given) else given
    for pattern in [files] if isinstance(files, str) else files:
        yield pattern.format_map(dict(wildcards.items()))


def asks(
    memory_mb: float | Callable[[Any], float],
    minutes: float | Callable[[Any], float],
    *,
    per_input: float | Callable[[Any], float] = 0.0,
    of: str = "",
) -> dict[str, Request]:
    """The resources ``mem_mb`` and ``runtime`` of a rule; each attempt requests as much again as the first.

    All are numbers, or functions of the wildcards. `per_input`: MB for each MB of input files beside `memory_mb`, which
    is rows × width × 4 bytes of vectors, as often as the job holds them; nothing where the files are not there yet, as
    in a plan: Snakemake asks again before the job starts. `of`: name of the input files that count; without it all do.
    """

    def memory(wildcards: Any, input: Any, attempt: int) -> int:
        size = _size_mb(input, of) if per_input else 0
        return math.ceil(_value(memory_mb, wildcards) + _value(per_input, wildcards) * size) * attempt

    def runtime(wildcards: Any, attempt: int) -> int:
        return math.ceil(_value(minutes, wildcards)) * attempt

    return {"mem_mb": memory, "runtime": runtime}


def _value(number: float | Callable[[Any], float], wildcards: Any) -> float:
    return number(wildcards) if callable(number) else number


def beside_others(threads: Callable[[Any], int], cores: int | None) -> Callable[[Any], int]:
    """Threads of a rule that leaves half of the `cores` of this machine to other jobs; None: they go to other machines.

    Two jobs that each load a library for seconds on one core end sooner side by side than one after the other.
    """
    if cores is None:
        return threads
    return lambda wildcards: max(1, min(threads(wildcards), cores // 2))


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
