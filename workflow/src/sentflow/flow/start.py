"""What a run is refused for, what it says of unknown targets, and the record of who began it."""

import logging
import os
import platform
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sentflow.config.datasets import SAMPLES
from sentflow.downloads.mirrors import is_remote, local_path
from sentflow.encoders.manifest import source_kind
from sentflow.encoders.settings import API
from sentflow.errors import ConfigError, DataError, instead
from sentflow.files.io import read_json, write_json
from sentflow.flow.paths import RESULTS

if TYPE_CHECKING:
    from sentflow.flow.targets import Targets

# A source of any other kind lies on this machine.
_NETWORK_SOURCES = ("hub", "archive")
_SAID = re.compile(r"No rule to produce (?P<target>\S+)")
# Said after SIGTERM: no further job begins
_ENDS = "Will exit after finishing currently running jobs"
_TRAINING = ["-m", "sentflow.jobs", "train"]


def files_outside(targets: "Targets", folders: Iterable[Path]) -> list[Path]:
    """Data files of this machine that are in none of the folders, wherever links to them are."""
    homes = [folder.resolve() for folder in folders]
    named = [address for entry in raw_files(targets).values() for address in entry.get("urls", ())]
    found = [
        local_path(address) for address in named if not is_remote(address) and not address.startswith(SAMPLES)
    ]
    return [file for file in found if not any(file.resolve().is_relative_to(home) for home in homes)]


def refuse_uploads(targets: "Targets", files: Iterable[Path]) -> None:
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


def raw_files(targets: "Targets") -> dict[tuple[str, str], Mapping[str, Any]]:
    """(dataset, file) → its entry, of every file that anything is read from."""
    return {(dataset, file): targets.datasets[dataset]["files"][file] for dataset, file in targets.raw_files}


def is_on_this_machine(entry: Mapping[str, Any]) -> bool:
    """Whether all addresses of a file are files of this machine."""
    return not any(map(is_remote, entry["urls"]))


def is_fetched(entry: Mapping[str, Any]) -> bool:
    """Whether the files of an encoder come from the network."""
    source = entry.get("source")
    return isinstance(source, Mapping) and source_kind(source) in _NETWORK_SOURCES


# --- targets ------------------------------------------------------------------------------------------------


def refuse_results_as_settings(files: Iterable[Path], folder: Path) -> None:
    """Refuse a result among the files of ``--configfile``, because it was meant as a target."""
    for file in files:
        if file.suffix == ".json" and file.is_relative_to(folder / RESULTS):
            target = file.relative_to(folder)
            raise ConfigError(
                f"--configfile takes every argument that follows, and {target} is a result, not settings. As a "
                f"target, write it behind two hyphens, --configfile FILE -- {target}, or first, "
                f"{target} --configfile FILE."
            )


def listen(snakemake_logger: logging.Logger, workflow: Any) -> None:
    """Explain in Snakemake's log a target that does not exist, and let trainings leave when SIGTERM ends the run.

    Rules of a workflow without output are targets. Snakemake would wait for hours until trainings have ended.
    """
    snakemake_logger.addHandler(_Listener(snakemake_logger, workflow))


def _explained(target: str, names: list[str]) -> str:
    """What to write instead of a target, of which `names` are those with a name."""
    if "/" in target:
        return (
            f"this experiment does not make the file {target}. Its task, encoder or question set is perhaps not "
            "selected (select: in the configuration), or the name has a typing error; snakemake --summary lists the "
            "files of the experiment."
        )
    return f"there is no target {target!r}. {instead(target, sorted(names))}"


class _Listener(logging.Handler):
    def __init__(self, snakemake_logger: logging.Logger, workflow: Any) -> None:
        super().__init__(logging.INFO)
        self._logger, self._workflow = snakemake_logger, workflow

    def emit(self, record: logging.LogRecord) -> None:
        if said := _SAID.search(record.getMessage()):
            names = [rule.name for rule in self._workflow.rules if not rule.output]
            self._logger.error(f"error: {_explained(said['target'], names)}")
        elif record.getMessage().startswith(_ENDS) and _ask_trainings_to_leave():
            self._logger.info("Trainings save their state and end; the same command goes on from there.")


def _ask_trainings_to_leave() -> bool:
    """Send SIGTERM to the trainings that this process has begun on this machine; whether there are any."""
    import psutil

    is_any = False
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended
            if process.cmdline()[1:4] == _TRAINING:
                process.terminate()
                is_any = True
    return is_any


# --- the record ---------------------------------------------------------------------------------------------


class RunRecord(NamedTuple):
    """The machine of the Snakemake that began a run, and the number of its process there."""

    machine: str
    process: int


def write_record(folder: Path) -> None:
    """Note that this process begins a run in a folder."""
    write_json(_file(folder), RunRecord(platform.node(), os.getpid())._asdict())


def read_record(folder: Path) -> RunRecord | None:
    """Who began the last run; None if that is not known."""
    try:
        return RunRecord(**read_json(_file(folder)))
    except (DataError, TypeError):
        return None


def _file(folder: Path) -> Path:
    return folder / ".snakemake" / "sentflow-run.json"
