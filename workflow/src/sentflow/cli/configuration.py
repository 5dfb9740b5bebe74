"""The configuration of a command, and jobs, encoders and files of the workflow as it uses them."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentflow.config.entries import AllEntries, merge
from sentflow.config.experiment import Experiment
from sentflow.config.load import load_catalog, load_experiment
from sentflow.config.own_paths import read_configuration_file
from sentflow.encoders.entries import fetch_settings
from sentflow.encoders.manifest import is_archived, read_manifest
from sentflow.encoders.settings import MADE_BY, TRAINED
from sentflow.errors import ConfigError, DataError
from sentflow.flow import paths
from sentflow.flow.environment import experiment_file, home, workflow_folder
from sentflow.jobs.job import job_named, option_of
from sentflow.report.numbers import counted

ConfigFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--configfile",
        help="YAML file whose entries are merged over the catalog; may be given several times.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ResultsRead = Annotated[
    Path, typer.Option("--results", help="The results folder; only its cache is written.")
]


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


if TYPE_CHECKING:
    from sentflow.encoders.manifest import Manifest


def run_job(name: str, values: Mapping[str, str | Path | Sequence[Path]]) -> None:
    """Run a job of the workflow: files as paths, everything else as its command line has it."""
    job = job_named(name)
    words: list[str] = []
    for parameter, value in values.items():
        option = option_of(parameter)
        if isinstance(value, str | Path):
            words.append(
                f"{option}={value}"
            )  # with a sign between them, because a value may begin with a dash
        elif value:
            words += [option, *map(str, value)]
    job.function(**job.values(words))


def in_folder(folder: Path, file: str) -> Path:
    """A file of the results tree in this folder, whatever it is called."""
    return folder.joinpath(*Path(file).parts[1:]).absolute()


def refuse_missing(
    files: Sequence[str], results: Path, configs: Sequence[Path] | None, *, needed_by: str, why: str
) -> None:
    """Raise DataError where files of the results are missing, with the command that makes them."""
    if absent := [file for file in dict.fromkeys(files) if not in_folder(results, file).is_file()]:
        config = ["--configfile", *map(str, configs)] if configs else []
        command = shlex.join(["sentflow", "run", "--cores", "all", *absent, *config])
        raise DataError(
            f"the results lack {counted(len(absent), 'file')} that {needed_by} need. {why}; make them with the "
            f"pipeline first:\n{command}"
        )


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def fetched_manifest(
    model: str, entry: Mapping[str, Any], *, before: str, results: Path = Path(paths.RESULTS)
) -> tuple["Manifest", Path | None]:
    """The manifest of a model, and the archive of its files if there is one; what lacks is left to the pipeline."""
    is_trained = entry["kind"] == TRAINED
    source = {"trained": model} if is_trained else entry["source"]
    if not is_archived(source):
        from sentflow.encoders.fetch import fetch_model

        return fetch_model(model, fetch_settings(entry), Path()), None
    files = [pattern.format(model=model) for pattern in (paths.MANIFEST, paths.WEIGHTS)]
    path, archive = (in_folder(results, file) for file in files)
    kind = MADE_BY.get(str(entry.get("recipe")), entry["kind"])
    manifest = read_manifest(path) if path.is_file() else None
    if manifest is None or manifest.source != source or manifest.kind != kind or not archive.is_file():
        done = "trained" if is_trained else "downloaded"
        raise ConfigError(
            f"{model} has to be {done} before {before}, and {path.parent} does not hold it. Select the model, or a "
            f"retriever that names it, and run: sentflow run --cores 1 {' '.join(files)}"
        )
    return manifest, archive
