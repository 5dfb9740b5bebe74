"""`sentflow quick`: from a file of the user to a verdict."""

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from sentflow.cli.own_data import (
    DataFile,
    Entries,
    collection_entries,
    is_beir,
    merged,
    pair_entries,
    read_data_file,
    slug,
    task_entry,
)
from sentflow.cli.run import prepared
from sentflow.cli.terminal import listing, show_blocks
from sentflow.config.load import load_catalog, load_experiment
from sentflow.errors import ConfigError, DataError
from sentflow.flow.workflow_folder import home, workflow_folder
from sentflow.cli.configuration import read_configuration
from sentflow.report.numbers import decimal, interval

_REPETITIONS = 3
_SECONDS = 20  # of a run, beside embedding
_TEXTS_PER_SECOND = 100  # that a small neural encoder embeds
_NEURAL = ("sentence-transformers", "transformers")

Names = Annotated[
    list[str],
    typer.Option("--models", help="Names of the catalog, folders, or owner/name@commit, separated by commas."),
]


def quick(
    data: Annotated[Path, typer.Argument(help="A CSV, TSV, JSON lines or Parquet file, or a folder in BEIR's form.")],
    models: Names,
    text: Annotated[str | None, typer.Option(help="Column of the text, or of the first text.")] = None,
    text_b: Annotated[str | None, typer.Option(help="Column of the second text.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the label: classes are learnt.")] = None,
    score: Annotated[str | None, typer.Option(help="Column of the similarity of two texts.")] = None,
    split: Annotated[str | None, typer.Option(help="File below qrels/ of a folder in BEIR's form.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of the file, if it is not UTF-8.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Character between the columns.")] = None,
    full: Annotated[bool, typer.Option("--full", help="The published ten repetitions, not three.")] = False,
    cores: Annotated[int, typer.Option(min=1, help="Processor cores.")] = os.cpu_count() or 1,
) -> None:
    """Compare encoders on a file of yours, from one line to a verdict."""
    folder = data.parent / f"{data.stem if data.is_file() else data.name}.sentflow"
    written = os.path.relpath(data, folder)
    encoders = _encoders([name for item in models for name in item.split(",") if name], folder)
    if data.is_dir():
        experiment, about = _of_collection(data, written, encoders, split)
    else:
        file = read_data_file(data, encoding, delimiter)
        experiment, about = _of_file(file, written, encoders, text, text_b, label, score, full=full)
    path = folder / "experiment.yaml"
    checked = load_experiment(
        {**read_configuration([]), **experiment}, workflow_folder(), experiment
    )  # a mistake is named before anything is written
    seconds = _SECONDS + about[0] * sum(
        entry["kind"] in _NEURAL for entry in checked.models.values()
    ) / _TEXTS_PER_SECOND
    _write(path, experiment)
    show_blocks(
        *about[1],
        f"Time: about {seconds:.0f} s, most of it for embedding; less the second time. Results: {folder}/results",
    )
    began = time.monotonic()
    command = prepared(
        ["--cores", str(cores), "--directory", str(folder), "--configfile", str(path.resolve())]
    )
    if code := subprocess.run(command, check=False).returncode:
        raise typer.Exit(code)
    show_blocks(*_verdict(folder / "results", experiment))
    show_blocks(
        f"{time.monotonic() - began:.0f} s. The page: {folder}/results/report/index.html",
        f"The experiment: {path}. Edit it, and run it again with: sentflow run --cores all --directory {folder} "
        f"--configfile {path}",
    )
