"""Everything that could be selected: the catalog with the entries of a configuration laid over it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.graph.config.entries import read_entries
from sentflow.graph.config.family import AllEntries, Entries, Entry, Section
from sentflow.graph.config.messages import as_map, refuse
from sentflow.graph.config.parts import PARTS, SECTIONS
from sentflow.graph.config.probing import PROTOCOLS, TASKS, source_problems
from sentflow.graph.config.schema import load_schema, schema_problems
from sentflow.graph.config.shared import DATASETS
from sentflow.graph.config.values import name_problems, plain_values
from sentflow.jobs.secrecy import secret_problems


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
    """The catalog's tasks and datasets with the caller's own laid over them.

    Parameters
    ----------
    workflow
        The folder that holds ``catalog/`` and ``schemas/``.
    own
        As a config file: its ``tasks`` and ``datasets`` are read.

    Raises
    ------
    ConfigError
        Names every mistake: the key, the value, and what to write instead.
    """
    entries, problems, unfit = _own_entries(own, workflow, (TASKS, DATASETS))
    for name, entry in entries["tasks"].items():
        if name not in unfit["tasks"]:
            problems += source_problems(name, entry, entries["datasets"])
    refuse(problems)
    return TaskCatalog(entries["tasks"], entries["datasets"])


def protocol_catalog(workflow: Path, own: Mapping[str, Any]) -> Entries:
    """The catalog's protocols with the caller's own laid over them; see `task_catalog`.

    Returns
    -------
    dict
        Every protocol by name, with what it takes from others by ``like``.
    """
    entries, problems, _ = _own_entries(own, workflow, (PROTOCOLS,))
    refuse(problems)
    return entries["protocols"]


def load_catalog(config: Mapping[str, Any], workflow: Path) -> AllEntries:
    """Everything that could be selected.

    Parameters
    ----------
    config
        As Snakemake merged it; what it selects is not looked at.
    workflow
        The folder that holds ``catalog/`` and ``schemas/``.

    Returns
    -------
    dict
        Section (``"models"``, ``"tasks"``, …) → name → entry, with what it takes by ``like``.

    Raises
    ------
    ConfigError
        Names every mistake of the configuration but those of the selection.
    """
    _, entries, problems, _ = checked(config, workflow)
    refuse(problems)
    return entries


def checked(
    config: Mapping[str, Any], workflow: Path
) -> tuple[Entry, AllEntries, list[str], dict[str, set[str]]]:
    """The configuration in built-in types, and what `read_entries` finds.

    Problems of the configuration itself are raised at once: entries may not even be maps then.
    """
    plain = plain_values(config)
    refuse([*schema_problems(plain, load_schema(workflow, "config"), where="config"), *_secrets(plain)])
    found = read_entries(
        plain,
        workflow,
        SECTIONS,
        before=lambda entries: list(name_problems(entries)),
        after=lambda entries: [problem for part in PARTS for problem in part.entry_problems(entries)],
    )
    return (plain, *found)


def _own_entries(
    own: Mapping[str, Any], workflow: Path, sections: tuple[Section, ...]
) -> tuple[AllEntries, list[str], dict[str, set[str]]]:
    """What `read_entries` finds of some sections; other keys of a configuration are not read."""
    plain = plain_values({section.name: own.get(section.name) or {} for section in sections})
    of_config = load_schema(workflow, "config")["properties"]
    schema = {"properties": {section.name: of_config[section.name] for section in sections}}
    refuse(schema_problems(plain, schema, where="config"))
    return read_entries(plain, workflow, sections)


def _secrets(config: Entry) -> list[str]:
    """Passwords and tokens; the address of a service has a check of its own."""
    models = {
        name: {key: value for key, value in as_map(entry).items() if key != "url"}
        for name, entry in as_map(config.get("models")).items()
    }
    return list(secret_problems({**config, "models": models}, where="config"))
