"""Everything that could be selected: the catalog with the entries of a configuration merged over it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.config.experiment import Configuration
from sentflow.config.model import Entries, mistakes
from sentflow.config.model import Path as Place
from sentflow.config.removed import without_removed
from sentflow.graph.config.entries import read_entries
from sentflow.graph.config.family import AllEntries, Entry, Section
from sentflow.graph.config.messages import as_map, refuse
from sentflow.graph.config.parts import known_parts, known_sections
from sentflow.graph.config.schema import read_yaml
from sentflow.graph.config.shared import written_as
from sentflow.graph.config.values import name_problems, plain_values
from sentflow.jobs.secrecy import secret_problems

# What keys say together is looked at when each of them is right; another round finds nothing new
_ROUNDS = 3


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
    refuse(written_as(problems, entries["models"]))
    return entries


def checked(
    config: Mapping[str, Any], workflow: Path
) -> tuple[Configuration, AllEntries, list[str], dict[str, set[str]]]:
    """The configuration, and what `read_entries` finds.

    What is wrong is left out of the configuration then, or is as in ``config.yaml``, so that all else in it is checked
    in the same round. Where that does not make it right, its mistakes are raised at once.
    """
    plain = without_removed(plain_values(config))
    own = _secrets(plain)
    for _ in range(_ROUNDS):
        if not (wrong := mistakes(Configuration, plain, where="config")):
            break
        own += map(str, wrong)
        for mistake in wrong:
            plain = _replaced(plain, mistake.faulty[1:], _default(workflow))
    else:
        refuse(own)
    entries, problems, unfit = read_entries(
        plain,
        workflow,
        known_sections(),
        before=lambda entries: list(name_problems(entries)),
        after=lambda entries: [problem for part in known_parts() for problem in part.entry_problems(entries)],
    )
    return Configuration.model_validate(plain), entries, [*own, *problems], unfit


def _default(workflow: Path) -> Any:
    file = workflow.parent / "config.yaml"
    return read_yaml(file) if file.is_file() else {}


def own_entries(
    own: Mapping[str, Any], workflow: Path, sections: tuple[Section, ...]
) -> tuple[AllEntries, list[str], dict[str, set[str]]]:
    """What `read_entries` finds of some sections; other keys of a configuration are not read."""
    plain = plain_values({section.name: own.get(section.name) or {} for section in sections})
    maps = [mistakes(Entries, entries, where=f"config.{name}") for name, entries in plain.items()]
    refuse([str(mistake) for found in maps for mistake in found])
    return read_entries(plain, workflow, sections)


def _secrets(config: Entry) -> list[str]:
    """Passwords and tokens; the address of a service has a check of its own."""
    models = {
        name: {key: value for key, value in as_map(entry).items() if key != "url"}
        for name, entry in as_map(config.get("models")).items()
    }
    return list(secret_problems({**config, "models": models}, where="config"))


def _replaced(value: Any, place: Place, default: Any) -> Any:
    """A value with that of a default in one place, or with nothing there; lists are replaced as a whole."""
    if not place or not isinstance(value, dict):
        return default
    key, *rest = place
    inside = default.get(key) if isinstance(default, dict) else None
    new = _replaced(value[key], tuple(rest), inside) if rest and key in value else inside
    if new is None:
        return {name: item for name, item in value.items() if name != key}
    return {**value, key: new}
