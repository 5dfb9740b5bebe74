"""What an experiment takes from outside: downloads, encoders, files of this machine. Standard library only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.downloads.mirrors import is_remote, local_path
from sentflow.encoders.kinds.table import API
from sentflow.encoders.manifest import source_kind
from sentflow.errors import ConfigError
from sentflow.graph.targets import Targets

# A source of any other kind lies on this machine.
_NETWORK_SOURCES = ("hub", "archive")


@dataclass(frozen=True)
class Plan:
    """What a run from the beginning takes.

    Attributes
    ----------
    n_downloads
        Data files that are fetched from an address, or from a mirror.
    download_bytes
        Size of those of them whose size the catalog knows.
    n_unknown_sizes
        The others.
    fetched_models
        Encoders whose files are fetched from the network.
    missing_files
        ``dataset/file`` whose addresses are all files of this machine, and none of them is there, seen from
        the current folder.
    """

    n_downloads: int
    download_bytes: int
    n_unknown_sizes: int
    fetched_models: list[str]
    missing_files: list[str]


def plan_of(experiment: Experiment) -> Plan:
    """Count the downloads of an experiment."""
    targets = Targets(experiment)
    raw = _raw_files(targets)
    remote = {key: entry for key, entry in raw.items() if "generator" not in entry and not _is_local(entry)}
    sizes = [entry["bytes"] for entry in remote.values() if "bytes" in entry]
    return Plan(
        n_downloads=len(remote),
        download_bytes=sum(sizes),
        n_unknown_sizes=len(remote) - len(sizes),
        fetched_models=[name for name, entry in experiment.fetched_models.items() if _is_fetched(entry)],
        missing_files=[
            f"{dataset}/{file}"
            for (dataset, file), entry in raw.items()
            if "generator" not in entry
            and _is_local(entry)
            and not any(Path(address).is_file() for address in entry["urls"])
        ],
    )


def files_outside(targets: Targets, folders: Iterable[Path]) -> list[Path]:
    """Data files of this machine that are in none of the folders, wherever links to them are."""
    homes = [folder.resolve() for folder in folders]
    named = [address for entry in _raw_files(targets).values() for address in entry.get("urls", ())]
    found = [local_path(address) for address in named if not is_remote(address)]
    return [file for file in found if not any(file.resolve().is_relative_to(home) for home in homes)]


def refuse_uploads(targets: Targets, files: Iterable[Path]) -> None:
    """Refuse to send texts of any file of the user to an address.

    Parameters
    ----------
    targets
        Of the experiment.
    files
        Of its configuration: what is beside or below one of them may be sent.

    Raises
    ------
    ConfigError
        An encoder of kind ``api`` would get texts of other files, and its entry does not allow that.
    """
    models = targets.experiment.fetched_models
    senders = [
        name for name, entry in models.items() if entry["kind"] == API and not entry.get("allow_upload")
    ]
    if senders and (outside := files_outside(targets, {file.parent for file in files})):
        raise ConfigError(
            f"models.{senders[0]}: texts of files outside the folder of the configuration would be sent to "
            f"{models[senders[0]]['url']}: {', '.join(map(str, outside))}. If that is what you want, write "
            f"allow_upload: true at models.{senders[0]}."
        )


def _raw_files(targets: Targets) -> dict[tuple[str, str], Mapping[str, Any]]:
    """(dataset, file) → its entry, of every file that anything is read from."""
    return {(dataset, file): targets.datasets[dataset]["files"][file] for dataset, file in targets.raw_files}


def _is_local(entry: Mapping[str, Any]) -> bool:
    return all("://" not in address for address in entry["urls"])


def _is_fetched(entry: Mapping[str, Any]) -> bool:
    source = entry.get("source")
    return isinstance(source, Mapping) and source_kind(source) in _NETWORK_SOURCES
