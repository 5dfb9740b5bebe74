"""Tasks and protocols of the catalog without a selection, for programs that are no experiment."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.config.entries import Entries
from sentflow.config.load import own_entries
from sentflow.config.problems.messages import refuse
from sentflow.config.problems.shared import DATASETS
from sentflow.families.probing.config import PROTOCOLS, TASKS, source_problems


@dataclass(frozen=True)
class TaskCatalog:
    """Tasks and datasets without a selection, for programs that are no experiment.

    Attributes
    ----------
    tasks
        Every task by name, with what it takes from others by ``like``.
    datasets
        The entries of the datasets by name.
    """

    tasks: Entries
    datasets: Entries


def task_catalog(workflow: Path, own: Mapping[str, Any]) -> TaskCatalog:
    """The catalog's tasks and datasets with the caller's own merged over them.

    Parameters
    ----------
    workflow
        The folder that holds ``catalog/``.
    own
        As a config file: its ``tasks`` and ``datasets`` are read.

    Raises
    ------
    ConfigError
        Names every mistake: the key, the value, and what to write instead.
    """
    entries, problems, unfit = own_entries(own, workflow, (TASKS, DATASETS))
    for name, entry in entries["tasks"].items():
        if name not in unfit["tasks"]:
            problems += source_problems(name, entry, entries["datasets"])
    refuse(problems)
    return TaskCatalog(entries["tasks"], entries["datasets"])


def protocol_catalog(workflow: Path, own: Mapping[str, Any]) -> Entries:
    """The catalog's protocols with the caller's own merged over them; see `task_catalog`.

    Returns
    -------
    dict
        Every protocol by name, with what it takes from others by ``like``.
    """
    entries, problems, _ = own_entries(own, workflow, (PROTOCOLS,))
    refuse(problems)
    return entries["protocols"]
