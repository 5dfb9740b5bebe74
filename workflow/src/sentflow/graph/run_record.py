"""Who began the last run of a folder: Snakemake's lock does not say."""

import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

from sentflow.errors import DataError
from sentflow.files.io import read_json, write_json


@dataclass(frozen=True)
class RunRecord:
    """The Snakemake that began a run.

    Attributes
    ----------
    machine, process
        Where it ran, and its number there.
    """

    machine: str
    process: int


def write_record(folder: Path) -> None:
    """Note that this process begins a run in a folder."""
    write_json(_file(folder), asdict(RunRecord(machine=this_machine(), process=os.getpid())))


def read_record(folder: Path) -> RunRecord | None:
    """Who began the last run; None if that is not known."""
    try:
        return RunRecord(**read_json(_file(folder)))
    except (DataError, TypeError):
        return None


def this_machine() -> str:
    """Name of this machine."""
    return platform.node()


def _file(folder: Path) -> Path:
    return folder / ".snakemake" / "sentflow-run.json"
