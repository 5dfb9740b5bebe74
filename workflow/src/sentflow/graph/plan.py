"""What an experiment takes from outside: downloads, encoders, files of this machine. Standard library only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.downloads.mirrors import is_remote, local_path
from sentflow.encoders.kinds.table import API
from sentflow.encoders.manifest import source_kind
from sentflow.errors import ConfigError
from sentflow.graph.targets import Targets

# A source of any other kind lies on this machine.
_NETWORK_SOURCES = ("hub", "archive")


@dataclass(frozen=True)
class Plan:
    """What a run from the beginning takes: data files of addresses and mirrors, their bytes, models from the network.

    `n_unknown_sizes` counts the files whose size the catalog does not know. `missing_files` are ``dataset/file`` whose
    addresses are all files of this machine, and none of them is there, seen from the current folder.
    """

    n_downloads: int
    download_bytes: int
    n_unknown_sizes: int
    fetched_models: list[str]
    missing_files: list[str]


def plan_of(targets: Targets) -> Plan:
    """Count the downloads of an experiment."""
    raw = {name: entry for name, entry in _raw_files(targets).items() if "generator" not in entry}
    here = {
        name: entry["urls"] for name, entry in raw.items() if all("://" not in url for url in entry["urls"])
    }
    sizes = [entry.get("bytes") for name, entry in raw.items() if name not in here]
    sources = {name: entry.get("source") for name, entry in targets.experiment.fetched_models.items()}
    return Plan(
        n_downloads=len(sizes),
        download_bytes=sum(filter(None, sizes)),
        n_unknown_sizes=sizes.count(None),
        fetched_models=[
            name
            for name, source in sources.items()
            if isinstance(source, Mapping) and source_kind(source) in _NETWORK_SOURCES
        ],
        missing_files=[
            "/".join(name) for name, files in here.items() if not any(Path(file).is_file() for file in files)
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
