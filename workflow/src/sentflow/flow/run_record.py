"""Who began the last run of a folder: Snakemake's lock does not say."""

import os
import platform
from pathlib import Path
from typing import NamedTuple

from sentflow.errors import DataError
from sentflow.files.io import read_json, write_json


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
