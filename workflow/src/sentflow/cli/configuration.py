"""The configuration of a command: its options, and what they say, merged as Snakemake would do it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sentflow.config.entries import AllEntries, merge
from sentflow.config.experiment import Experiment
from sentflow.config.load import load_catalog, load_experiment
from sentflow.config.own_paths import read_configuration_file
from sentflow.errors import ConfigError
from sentflow.flow.workflow_folder import experiment_file, home, workflow_folder

ConfigFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--configfile",
        help="YAML file whose entries are merged over the catalog; may be given several times.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ResultsRead = Annotated[Path, typer.Option("--results", help="The results folder; nothing is written there.")]


def read_experiment(files: Sequence[Path] | None, *, alone: bool = False) -> Experiment:
    """The experiment of `read_configuration`, checked."""
    own = read_configuration(files, alone=True)
    return load_experiment(read_configuration(files, alone=alone), workflow_folder(), own)


def read_catalog(files: Sequence[Path] | None) -> AllEntries:
    """Every entry of the catalog and of `read_configuration`, checked."""
    return load_catalog(read_configuration(files), workflow_folder())


def read_configuration(files: Sequence[Path] | None, *, alone: bool = False) -> dict[str, Any]:
    """The workflow's ``config.yaml`` with files merged over it: maps are merged, lists are replaced."""
    merged: dict[str, Any] = {}
    for file in configuration_files(files, alone=alone):
        settings = read_configuration_file(file)
        if not isinstance(settings, dict | None):
            raise ConfigError(
                f"{file} holds a {type(settings).__name__}, not a map. Begin its lines with a key, e.g. select:"
            )
        merged = merge(merged, settings or {})
    return merged


def configuration_files(files: Sequence[Path] | None, *, alone: bool = False) -> list[Path]:
    """The files that `read_configuration` merges, where they are."""
    return [*([] if alone else [home() / "config.yaml"]), *map(experiment_file, files or ())]
