"""The configuration as Snakemake would merge it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sentflow.config.entries import merge
from sentflow.config.experiment import Experiment
from sentflow.config.load import load_experiment
from sentflow.errors import ConfigError
from sentflow.files.settings_files import read_settings
from sentflow.graph.workflow_folder import experiment_file, home, workflow_folder

__all__ = ["read_configuration", "read_experiment", "workflow_folder"]


def read_experiment(files: Sequence[Path], *, alone: bool = False) -> Experiment:
    """The experiment of `read_configuration`, checked.

    Raises
    ------
    ConfigError
        As `read_configuration` and `load_experiment` do.
    """
    own = read_configuration(files, alone=True)
    return load_experiment(read_configuration(files, alone=alone), workflow_folder(), own)


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
    merged: dict[str, Any] = {}
    for file in configuration_files(files, alone=alone):
        merged = merge(merged, _read(file))
    return merged


def configuration_files(files: Sequence[Path], *, alone: bool = False) -> list[Path]:
    """The files that `read_configuration` merges, where they are."""
    return [*([] if alone else [home() / "config.yaml"]), *map(experiment_file, files)]


def _read(file: Path) -> dict[str, Any]:
    value = read_settings(file)
    if value is None:  # nothing but comments
        return {}
    if not isinstance(value, dict):
        raise ConfigError(
            f"{file} holds a {type(value).__name__}, not a map. Begin its lines with a key, e.g. select:"
        )
    return value
