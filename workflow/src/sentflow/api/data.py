"""A task's rows for the evaluator: brought once, verified on every use, read and checked as in the pipeline."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sentflow.api.tasks import OFFICIAL
from sentflow.config.datasets import File
from sentflow.config.entries import AllEntries, Entry
from sentflow.downloads.download import download
from sentflow.downloads.mirrors import mirrors_in_use
from sentflow.files.io import write_text
from sentflow.probing.settings import ProbeProtocol
from sentflow.texts.prepare import PrepareSettings, prepare
from sentflow.texts.readers import Reader
from sentflow.texts.sample.rows import to_csv
from sentflow.texts.sample.tasks import generate
from sentflow.texts.table import TaskTable
from sentflow.texts.task_files import files_of


def load_task(
    name: str, catalog: AllEntries, *, folder: Path, protocol: ProbeProtocol, mirrors: Sequence[str]
) -> TaskTable:
    """The rows of a task, from files in `folder`.

    A file lies at ``<folder>/<dataset>/<file>``, where it is downloaded to (or generated, for sample data). For an
    official task without that file, the CSV that the published evaluator left in `folder` will do; its checksum is
    not known, so that a warning says that it was not verified.
    """
    entry = catalog["tasks"][name]
    dataset, file, *others = entry["dataset"], *files_of(entry["reader"])
    settings = PrepareSettings.from_settings({**entry, **protocol.needs()}, task=name)
    raw = folder / dataset / file
    left_behind = folder / f"{Path(file).stem}.csv"
    if (
        isinstance(settings.reader, Reader)
        and name in OFFICIAL
        and not raw.exists()
        and left_behind.is_file()
    ):
        warnings.warn(
            f"{name} is read from {left_behind}, which cannot be verified. Delete it to download the "
            "official file.",
            UserWarning,
            stacklevel=2,
        )
        reader = replace(settings.reader, file=left_behind.name)
        return prepare(
            name, [left_behind], replace(settings, reader=reader, data_version="official, not verified")
        )
    needed = [raw, *(folder / dataset / other for other in others)]
    for path in needed:
        _bring(path, catalog["datasets"][dataset], mirrors)
    return prepare(name, needed, settings)


def _bring(raw: Path, dataset_entry: Entry, mirrors: Sequence[str]) -> None:
    """Generate or download a file; one that is there stays if its checksum is right."""
    entry = dataset_entry["files"][raw.name]
    if "generator" in entry:
        # Made again every time: it is quick, and a newer generator must not meet an older file
        write_text(raw, to_csv(generate(entry["generator"], seed=int(dataset_entry["seed"]))))
        return
    file = File.model_validate(entry)
    download(file, raw, mirrors=mirrors_in_use(mirrors, os.environ))
