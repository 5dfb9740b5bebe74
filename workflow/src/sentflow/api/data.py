"""Tasks and pair sets in notebooks: of the catalog or the caller's own, brought once, verified on every use."""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sentflow.api.arguments import ArgumentError
from sentflow.config.datasets import File
from sentflow.config.entries import AllEntries, Entries, Entry, merge
from sentflow.config.load import catalog_with
from sentflow.downloads.download import download
from sentflow.downloads.mirrors import mirrors_in_use
from sentflow.errors import ConfigError, instead
from sentflow.files.io import write_text
from sentflow.files.settings_files import read_settings
from sentflow.flow.workflow_folder import workflow_folder
from sentflow.probing.settings import ProbeProtocol
from sentflow.texts.pair_files import raw_files_of
from sentflow.texts.pairs import PairTable
from sentflow.texts.prepare import prepare
from sentflow.texts.prepare_pairs import prepare_pairs
from sentflow.texts.sample.rows import to_csv
from sentflow.texts.sample.tasks import generate
from sentflow.texts.settings import PairChecks, PairSettings, TaskChecks, TaskSettings
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
    settings = TaskSettings.from_parts(entry)
    checks = TaskChecks(metric=entry["metric"], **protocol.needs())
    raw = folder / dataset / file
    left_behind = folder / f"{Path(file).stem}.csv"
    if name in OFFICIAL and not raw.exists() and left_behind.is_file():
        warnings.warn(
            f"{name} is read from {left_behind}, which cannot be verified. Delete it to download the "
            "official file.",
            UserWarning,
            stacklevel=2,
        )
        reader = settings.reader.model_copy(update={"file": left_behind.name})
        changes = {"reader": reader, "data_version": "official, not verified"}
        return prepare(name, [left_behind], settings.model_copy(update=changes), checks)
    needed = [raw, *(folder / dataset / other for other in others)]
    for path in needed:
        _bring(path, catalog["datasets"][dataset], mirrors)
    return prepare(name, needed, settings, checks)


def _bring(raw: Path, dataset_entry: Entry, mirrors: Sequence[str]) -> None:
    """Generate or download a file; one that is there stays if its checksum is right."""
    entry = dataset_entry["files"][raw.name]
    if "generator" in entry:
        # Made again every time: it is quick, and a newer generator must not meet an older file
        write_text(raw, to_csv(generate(entry["generator"], seed=int(dataset_entry["seed"]))))
        return
    file = File.model_validate(entry)
    download(file, raw, mirrors=mirrors_in_use(mirrors, os.environ))


WORKFLOW = workflow_folder()

# In the order of the published evaluator, f2a12c2
OFFICIAL = (
    *("F1A", "F1B", "F2", "F3", "F4", "F5", "F6", "G1", "G2A", "G2B", "G3", "G4"),
    *("T1A", "T1B", "T2A", "T2B", "T3", "T4"),
)


def known_tasks(config: str | Path | Mapping[str, Any] | None) -> AllEntries:
    """Every task that can be asked for, as ``tasks`` → name → entry, and beside them the ``datasets``."""
    return catalog_with(own_entries(config), WORKFLOW, "tasks", "datasets")


def chosen_tasks(tasks: str | Sequence[str], known: Entries) -> tuple[str, ...]:
    """The tasks that ``tasks=`` asks for, in the order of asking; ``"all"`` are the 18 official ones."""
    if isinstance(tasks, str):
        return OFFICIAL if tasks == "all" else chosen_tasks([tasks], known)
    names = tuple(tasks)
    if unknown := [name for name in names if name not in known]:
        raise ArgumentError(
            f"tasks: there is no task {', '.join(map(repr, unknown))}. {instead(str(unknown[0]), known)}"
        )
    if len(set(names)) < len(names) or not names:
        raise ArgumentError(f"tasks: {list(names)!r}. Write at least one task, and each one once.")
    return names


def own_entries(config: str | Path | Mapping[str, Any] | None) -> Mapping[str, Any]:
    """What a config file holds; see `known_tasks`."""
    if config is None or isinstance(config, Mapping):
        return config or {}
    content = read_settings(Path(config).expanduser())
    if not isinstance(content, Mapping):
        raise ConfigError(f"config: {config} must be a map, e.g. with tasks: and datasets:.")
    return content


def catalog_pairs(name: str, *, folder: Path, mirrors: Sequence[str]) -> PairTable:
    """A pair set of the catalog."""
    entry = _entry(name)
    files = catalog("datasets")[entry["dataset"]]["files"]
    raw = []
    for file in raw_files_of(entry):
        raw.append(folder / entry["dataset"] / file)
        source = File.model_validate(files[file])
        download(source, raw[-1], mirrors=mirrors_in_use(mirrors, os.environ))
    return prepare_pairs(name, raw, PairSettings.from_parts(entry), PairChecks.from_parts(entry))


def own_pairs(path: str | Path, *, like: str) -> PairTable:
    """The pairs of a file of the caller's, in the form of a pair set of the catalog."""
    file = Path(os.path.expandvars(path)).expanduser()
    if not file.is_file():
        raise ArgumentError(f"path: there is no file {str(path)!r}. Leave it out to download the data.")
    entry = {**_entry(like), "data_version": f"{file.name}, not verified"}
    settings = PairSettings.from_parts(entry)
    changes: dict[str, Any] = {"files": (file.name,)}
    if not settings.reader.header and _names_columns(file):
        changes |= {"header": True, "text_a": "sentence1", "text_b": "sentence2", "score": "score"}
    reader = settings.reader.model_copy(update=changes)
    return prepare_pairs(like, [file], settings.model_copy(update={"reader": reader}))


def _names_columns(file: Path) -> bool:
    with file.open(encoding="utf-8-sig", errors="replace") as stream:
        return {"score", "sentence1", "sentence2"} <= set(stream.readline().rstrip("\r\n").split("\t"))


def _entry(name: str) -> dict[str, Any]:
    """An entry of the catalog with what it takes over from others (``like``)."""
    entry = dict(catalog("pair_sets")[name])
    if (base := entry.pop("like", None)) is None:
        return entry
    found: dict[str, Any] = merge(_entry(base), entry)
    return found


def catalog(section: str) -> Mapping[str, Any]:
    """A section of the catalog."""
    file = WORKFLOW / "catalog" / f"{section}.yaml"
    found: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found
