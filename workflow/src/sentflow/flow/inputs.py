"""Tables as inputs of rules, by their digests."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

Files: TypeAlias = str | Sequence[str] | Callable[[Any], str | Sequence[str]]
"""A pattern, files, or what gives either of the wildcards of a job."""


def digested(**tables: Files) -> dict[str, Any]:
    """Inputs by their names, whose dates count for nothing, and ``digests``, which Snakemake compares in their stead.

    Parameters
    ----------
    tables
        Name → files that have a digest beside them: the same name with the ending ``.json``.
    """
    from snakemake.io import ancient

    def digests(wildcards: Any) -> list[str]:
        files = (file for given in tables.values() for file in _files(given, wildcards))
        return list(dict.fromkeys(str(Path(file).with_suffix(".json")) for file in files))

    return {"digests": digests, **{name: ancient(given) for name, given in tables.items()}}


def _files(given: Files, wildcards: Any) -> Iterator[str]:
    files = given(wildcards) if callable(given) else given
    for pattern in [files] if isinstance(files, str) else files:
        yield pattern.format_map(dict(wildcards.items()))
