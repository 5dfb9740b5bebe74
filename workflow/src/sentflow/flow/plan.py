"""What an experiment takes from outside: downloads, encoders, files of this machine. Standard library only."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sentflow.config.datasets import SAMPLES
from sentflow.downloads.mirrors import is_remote, local_path
from sentflow.encoders.manifest import source_kind
from sentflow.encoders.settings import API
from sentflow.errors import ConfigError
from sentflow.flow.targets import Targets

# A source of any other kind lies on this machine.
_NETWORK_SOURCES = ("hub", "archive")


def files_outside(targets: Targets, folders: Iterable[Path]) -> list[Path]:
    """Data files of this machine that are in none of the folders, wherever links to them are."""
    homes = [folder.resolve() for folder in folders]
    named = [address for entry in raw_files(targets).values() for address in entry.get("urls", ())]
    found = [
        local_path(address) for address in named if not is_remote(address) and not address.startswith(SAMPLES)
    ]
    return [file for file in found if not any(file.resolve().is_relative_to(home) for home in homes)]


def refuse_uploads(targets: Targets, files: Iterable[Path]) -> None:
    """Refuse to let an encoder of kind ``api`` send texts of a file that is not beside or below a configuration file.

    Its entry may allow that. Raises ConfigError.
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


def raw_files(targets: Targets) -> dict[tuple[str, str], Mapping[str, Any]]:
    """(dataset, file) → its entry, of every file that anything is read from."""
    return {(dataset, file): targets.datasets[dataset]["files"][file] for dataset, file in targets.raw_files}


def is_on_this_machine(entry: Mapping[str, Any]) -> bool:
    """Whether all addresses of a file are files of this machine."""
    return not any(map(is_remote, entry["urls"]))


def is_fetched(entry: Mapping[str, Any]) -> bool:
    """Whether the files of an encoder come from the network."""
    source = entry.get("source")
    return isinstance(source, Mapping) and source_kind(source) in _NETWORK_SOURCES
