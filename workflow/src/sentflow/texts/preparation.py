"""What the preparation of every kind of table shares: settings, verified raw files, and problems reported together."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, DataError
from sentflow.files.checksums import verify_again


def verified_files(
    names: Sequence[str], given: Sequence[Path], entries: Mapping[str, Mapping[str, Any]], *, where: str
) -> dict[str, Path]:
    """The raw files that a reader names, each verified again.

    `entries`: name → catalog entry; what has a checksum there is verified. Empty where nothing is known.
    """
    by_name = {path.name: path for path in given}
    if missing := [name for name in names if name not in by_name]:
        what = "is not a file" if len(missing) == 1 else "are not files"
        raise ConfigError(
            f"{where}: {', '.join(map(repr, missing))} {what} of the dataset. Files: {', '.join(by_name)}."
        )
    for name in names:
        verify_again(by_name[name], entries.get(name, {}))
    return {name: by_name[name] for name in names}


def refuse(problems: Sequence[str], *, table: str, file: str = "") -> None:
    """Tell all that is wrong with the rows of a table, and of what file they are where there is one."""
    if problems:
        place = f"{file}; " if file else ""
        lines = "".join(f"\n  - {problem}." for problem in problems)
        raise DataError(f"{table} ({place}rows are counted from 1 after the header):{lines}")
