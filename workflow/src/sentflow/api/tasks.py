"""The tasks that an evaluator knows: those of the catalog, and the caller's own merged over them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.api.arguments import ArgumentError
from sentflow.config.entries import AllEntries, Entries
from sentflow.config.load import catalog_with
from sentflow.errors import ConfigError, instead
from sentflow.files.settings_files import read_settings
from sentflow.graph.workflow_folder import workflow_folder

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
