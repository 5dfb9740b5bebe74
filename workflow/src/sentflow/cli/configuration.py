"""Where the workflow is, and the configuration as Snakemake would merge it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sentflow
from sentflow.errors import ConfigError
from sentflow.files.settings_files import read_settings
from sentflow.graph.config.entries import laid_over


def workflow_folder() -> Path:
    """The folder that holds ``catalog/`` and ``schemas/``.

    Raises
    ------
    ConfigError
        The package was installed without the folder that it comes in.
    """
    folder = Path(sentflow.__path__[0]).parents[1]
    if not (folder / "catalog").is_dir():
        raise ConfigError(
            f"{folder} has no folder catalog: sentflow was installed without its workflow. Install it from a "
            "copy of the repository, in place: pip install -e FOLDER"
        )
    return folder


def read_configuration(files: Sequence[Path], *, alone: bool = False) -> dict[str, Any]:
    """The workflow's ``config.yaml`` with files merged over it: maps are merged, lists are replaced.

    Parameters
    ----------
    files
        The later one wins.
    alone
        Leave ``config.yaml`` out, as ``snakemake --replace-workflow-config`` does.

    Raises
    ------
    ConfigError
        A file is missing or not YAML, or it holds something else than a map.
    """
    every = list(files) if alone else [workflow_folder().parent / "config.yaml", *files]
    merged: dict[str, Any] = {}
    for file in every:
        merged = laid_over(merged, _read(file))
    return merged


def _read(file: Path) -> dict[str, Any]:
    value = read_settings(file)
    if value is None:  # nothing but comments
        return {}
    if not isinstance(value, dict):
        raise ConfigError(
            f"{file} holds a {type(value).__name__}, not a map. Begin its lines with a key, e.g. select:"
        )
    return value
