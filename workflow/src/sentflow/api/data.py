"""The catalog in notebooks: protocols, tasks and pair sets, also the caller's own; data are verified on every use."""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sentflow.api.arguments import ArgumentError
from sentflow.config.datasets import File
from sentflow.config.entries import AllEntries, Entries, merge
from sentflow.config.load import catalog_with
from sentflow.config.own_paths import read_configuration_file
from sentflow.config.pairs import PairChecks, PairSettings
from sentflow.config.tasks import TaskSettings
from sentflow.downloads.download import download
from sentflow.downloads.mirrors import mirrors_in_use
from sentflow.errors import ConfigError, instead
from sentflow.flow.environment import workflow_folder
from sentflow.probing.catalog import protocol_name, protocol_of
from sentflow.probing.settings import PUBLISHED_NAME, REGULARISED, ProbeProtocol
from sentflow.texts.pairs import PairTable
from sentflow.texts.prepare import prepare
from sentflow.texts.prepare_pairs import prepare_pairs
from sentflow.texts.raw_files import raw_files_of
from sentflow.texts.settings import TaskChecks
from sentflow.texts.table import TaskTable

WORKFLOW = workflow_folder()
# In the order of the published evaluator, f2a12c2
OFFICIAL = (
    *("F1A", "F1B", "F2", "F3", "F4", "F5", "F6", "G1", "G2A", "G2B", "G3", "G4"),
    *("T1A", "T1B", "T2A", "T2B", "T3", "T4"),
)
OWN_NAME = "own"  # of a protocol that is given without a name

Config = str | Path | Mapping[str, Any] | None
"""A YAML file, or what one would hold."""


def known_tasks(config: Config) -> AllEntries:
    """Every task that can be asked for, as ``tasks`` → name → entry, and beside them the ``datasets``."""
    return catalog_with(_own_entries(config), WORKFLOW, "tasks", "datasets")


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


def _own_entries(config: Config) -> Mapping[str, Any]:
    if config is None or isinstance(config, Mapping):
        return config or {}
    content = read_configuration_file(Path(config).expanduser())
    if not isinstance(content, Mapping):
        raise ConfigError(f"config: {config} must be a map, e.g. with tasks: and datasets:.")
    return content


def catalog(section: str) -> Mapping[str, Any]:
    """A section of the catalog."""
    file = WORKFLOW / "catalog" / f"{section}.yaml"
    entries: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return entries


# --- protocols ----------------------------------------------------------------------------------------------


def named_protocol(protocol: str | Mapping[str, Any], config: Config) -> ProbeProtocol:
    """The protocol that ``protocol=`` asks for."""
    own = _own_entries(config)
    if isinstance(protocol, Mapping):
        entry = {"title": "Own protocol", **protocol}
        own = {"protocols": {**(own.get("protocols") or {}), OWN_NAME: entry}}
        try:
            return protocol_of(OWN_NAME, catalog_with(own, WORKFLOW, "protocols")["protocols"][OWN_NAME])
        except ConfigError as error:
            raise ArgumentError(f"protocol: {error}") from error
    known = catalog_with(own, WORKFLOW, "protocols")["protocols"]
    if protocol not in known:
        raise ArgumentError(f"protocol: there is no protocol {protocol!r}. {instead(str(protocol), known)}")
    return protocol_of(protocol, known[protocol])


def protocols_of(tasks: Entries, chosen: ProbeProtocol, config: Config) -> dict[str, ProbeProtocol]:
    """Task → its protocol: what its entry names; else `chosen`, or `corrected` for own tasks, see `protocol_name`."""
    names = {task: protocol_name(entry, chosen.name) for task, entry in tasks.items()}
    others = {name: named_protocol(name, config) for name in {*names.values()} - {chosen.name}}
    return {task: others.get(name, chosen) for task, name in names.items()}


def probe_protocol(
    protocol: str | Mapping[str, Any] = PUBLISHED_NAME, *, config: Config = None
) -> ProbeProtocol:
    """A protocol for `sentflow.probing.cross_validate`.

    Parameters
    ----------
    protocol
        A name of the catalog or of `config`; or an entry as under ``protocols:`` of a config file, with ``like``,
        ``switches`` and ``training``, which is then called "own". The switch ``leak_hidden_dims`` and those of
        intervals and curves are kept, but decide nothing there: a probe of features alone knows no task, and gives
        folds, not summaries.
    config
        A YAML file, or what one would hold: its ``protocols`` are read.

    Raises
    ------
    ArgumentError
        There is no such protocol, the entry is not in order, or the protocol sets a ``classifier`` for which
        `cross_validate` has ``hidden``.
    """
    named = named_protocol(protocol, config)
    if named.classifier not in (None, REGULARISED):
        raise ArgumentError(
            f"the protocol {named.name} sets training.classifier, which cross_validate does not read. Leave it out, "
            "and write hidden=None for logistic probes, hidden=256 for those with a hidden layer."
        )
    return named


# --- data ---------------------------------------------------------------------------------------------------


def load_task(
    name: str, known: AllEntries, *, folder: Path, protocol: ProbeProtocol, mirrors: Sequence[str]
) -> TaskTable:
    """The rows of a task, from files in `folder`.

    A file lies at ``<folder>/<dataset>/<file>``, where it is downloaded to. For an
    official task without that file, the CSV that the published evaluator left in `folder` will do; its checksum is
    not known, so that a warning says that it was not verified.
    """
    if name not in known["tasks"]:
        raise ArgumentError(f"there is no task {name!r}. {instead(str(name), known['tasks'])}")
    entry = known["tasks"][name]
    dataset = known["datasets"][entry["dataset"]]
    settings = TaskSettings.from_parts(entry)
    checks = TaskChecks(metric=entry["metric"], **protocol.needs())
    needed = [folder / entry["dataset"] / file for file in raw_files_of(entry)]
    left_behind = folder / f"{needed[0].stem}.csv"
    if name in OFFICIAL and not needed[0].exists() and left_behind.is_file():
        warnings.warn(
            f"{name} is read from {left_behind}, which cannot be verified. Delete it to download the official file.",
            UserWarning,
            stacklevel=2,
        )
        reader = settings.reader.model_copy(update={"file": left_behind.name})
        changes = {"reader": reader, "data_version": "official, not verified"}
        return prepare(name, [left_behind], settings.model_copy(update=changes), checks)
    for path in needed:
        download(File.model_validate(dataset["files"][path.name]), path, mirrors=_in_use(mirrors))
    return prepare(name, needed, settings, checks)


def _in_use(mirrors: str | Sequence[str]) -> list[str]:
    return mirrors_in_use([mirrors] if isinstance(mirrors, str) else mirrors, os.environ)


def catalog_pairs(name: str, *, folder: Path, mirrors: Sequence[str]) -> PairTable:
    """A pair set of the catalog."""
    entry = _pair_set(name)
    files = catalog("datasets")[entry["dataset"]]["files"]
    raw = {name: folder / entry["dataset"] / name for name in raw_files_of(entry)}
    for file, path in raw.items():
        download(File.model_validate(files[file]), path, mirrors=_in_use(mirrors))
    return prepare_pairs(name, [*raw.values()], PairSettings.from_parts(entry), PairChecks.from_parts(entry))


def own_pairs(path: str | Path, *, like: str) -> PairTable:
    """The pairs of a file of the caller's, in the form of a pair set of the catalog."""
    file = Path(os.path.expandvars(path)).expanduser()
    if not file.is_file():
        raise ArgumentError(f"path: there is no file {str(path)!r}. Leave it out to download the data.")
    entry = {**_pair_set(like), "data_version": f"{file.name}, not verified"}
    settings = PairSettings.from_parts(entry)
    changes: dict[str, Any] = {"files": (file.name,)}
    if not settings.reader.header:
        with file.open(encoding="utf-8-sig", errors="replace") as stream:
            first = set(stream.readline().rstrip("\r\n").split("\t"))
        if {"score", "sentence1", "sentence2"} <= first:
            changes |= {"header": True, "text_a": "sentence1", "text_b": "sentence2", "score": "score"}
    reader = settings.reader.model_copy(update=changes)
    return prepare_pairs(like, [file], settings.model_copy(update={"reader": reader}))


def _pair_set(name: str) -> dict[str, Any]:
    """An entry of the catalog with what it takes over from others (``like``)."""
    entry = dict(catalog("pair_sets")[name])
    base = entry.pop("like", None)
    return entry if base is None else dict(merge(_pair_set(base), entry))
