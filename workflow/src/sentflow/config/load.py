"""From configuration and catalog to an experiment, with every mistake reported before the first job.

Standard library, PyYAML and pydantic only: the Snakefile is read again in every cluster job.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from sentflow.config.entries import AllEntries, Entries, Entry, as_map, merge, read_yaml
from sentflow.config.experiment import Configuration, Experiment
from sentflow.config.model import OwnEntries, mistakes
from sentflow.config.model import Path as Place
from sentflow.config.problems.messages import not_reported, refuse, unknown
from sentflow.config.problems.shared import SHARED, written_as
from sentflow.config.problems.values import name_problems, plain_values
from sentflow.config.removed import removed_products, without_removed
from sentflow.config.sections import Section
from sentflow.errors import ConfigError, instead
from sentflow.families.geometry.config import GEOMETRY
from sentflow.families.probing.config import PROBING
from sentflow.families.retrieval.config import RETRIEVAL
from sentflow.families.similarity.config import SIMILARITY
from sentflow.families.training.config import TRAINING
from sentflow.files.settings_files import read_settings
from sentflow.graph import products
from sentflow.graph.family import CHECK, FIGURE, TABLE
from sentflow.jobs.secrecy import secret_problems

# What keys say together is looked at when each of them is right; another round finds nothing new
_ROUNDS = 3
FAMILIES = (PROBING, SIMILARITY, GEOMETRY, RETRIEVAL, TRAINING)
PARTS = (SHARED, *FAMILIES)
SECTIONS = tuple(section for part in PARTS for section in part.sections)
# Sections of which `select` lists names; nothing is measured where it names none
MEASURED = tuple(
    section.name for section in SECTIONS if section.alone and section.named_in == (f"select.{section.name}",)
)


def load_catalog(config: Mapping[str, Any], workflow: Path) -> AllEntries:
    """Everything that could be selected.

    Parameters
    ----------
    config
        As Snakemake merged it; what it selects is not looked at.
    workflow
        The folder that holds ``catalog/``.

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
        SECTIONS,
        before=lambda entries: list(name_problems(entries)),
        after=lambda entries: [problem for part in PARTS for problem in part.entry_problems(entries)],
    )
    parsed = Configuration.model_validate(plain)
    return parsed, entries, [*own, *_unknown_products(parsed), *problems], unfit


def _unknown_products(config: Configuration) -> Iterator[str]:
    for kind in (TABLE, FIGURE, CHECK):
        known = products.names(kind)
        for place, name in enumerate(getattr(config.report, f"{kind}s")):
            if name not in known:
                yield f"config.report.{kind}s.{place}: there is no {kind} {name!r}. {instead(name, known)}"


def _default(workflow: Path) -> Any:
    file = workflow.parent / "config.yaml"
    return read_yaml(file) if file.is_file() else {}


def own_entries(
    own: Mapping[str, Any], workflow: Path, sections: tuple[Section, ...]
) -> tuple[AllEntries, list[str], dict[str, set[str]]]:
    """What `read_entries` finds of some sections; other keys of a configuration are not read."""
    plain = plain_values({section.name: own.get(section.name) or {} for section in sections})
    maps = [mistakes(OwnEntries, entries, where=f"config.{name}") for name, entries in plain.items()]
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


def read_own(settings: Any) -> Entry:
    """What the files and the command line of Snakemake say, given its settings of the configuration."""
    layers = [*map(read_settings, settings.configfiles), dict(settings.config)]
    return reduce(merge, (as_map(layer) for layer in layers), {})


def read_entries(
    config: Mapping[str, Any],
    workflow: Path,
    sections: Iterable[Section],
    *,
    before: Callable[[AllEntries], Iterable[str]] = lambda _: (),
    after: Callable[[AllEntries], Iterable[str]] = lambda _: (),
) -> tuple[AllEntries, list[str], dict[str, set[str]]]:
    """All entries of sections, selected or not, and what is wrong with them.

    Parameters
    ----------
    config
        In built-in types; its entries are merged over those of the catalog.
    workflow
        The folder that holds ``catalog/``.
    sections
        Those to read.
    before, after
        Further problems of entries as they are written, and of entries that are written out. What they find is not
        reported again in the words of the model.

    Returns
    -------
    tuple
        The entries, their problems, and by section the names of those that do not fit their model.
    """
    sections = tuple(sections)
    catalog = {section.name: read_yaml(workflow / "catalog" / f"{section.name}.yaml") for section in sections}
    own = {section.name: as_map(config.get(section.name)) for section in sections}
    entries: AllEntries = {name: _merged(catalog[name], own[name]) for name in catalog}
    problems = list(before(entries))
    unfit: dict[str, set[str]] = {section.name: set() for section in sections}
    for section in sections:
        if section.overlay_problems:
            problems += section.overlay_problems(catalog[section.name], own[section.name])
        if section.write_out:
            refused = section.write_out(entries)
            unfit[section.name] = set(refused)
            problems += [problem for found in refused.values() for problem in found]
        if section.derive:
            entries[section.name], found = _inherited(entries[section.name], section, section.derive)
            problems += found
        if section.own:
            entries[section.name] = {
                name: entry if name in catalog[section.name] else merge(entry, section.own)
                for name, entry in entries[section.name].items()
            }
    problems += after(entries)
    for section in sections:
        name, of_section = section.name, entries[section.name]
        written = {key: entry for key, entry in of_section.items() if key not in unfit[name]}
        wrong = _mistakes(section, written)
        problems += not_reported([problem for of_entry in wrong.values() for problem in of_entry], problems)
        # what is left of `like` leads nowhere
        unfit[name] |= {key for key, entry in of_section.items() if "like" in as_map(entry)} | wrong.keys()
    return entries, problems, unfit


def _mistakes(section: Section, entries: Entries) -> dict[str, list[str]]:
    """What is wrong with entries, by their names; with names, too."""
    found = {}
    for name, entry in entries.items():
        wrong = [
            *mistakes(section.key, name, where=section.name),
            *mistakes(section.model, entry, where=f"{section.name}.{name}", partial="like" in as_map(entry)),
        ]
        if wrong:
            found[name] = [str(mistake) for mistake in wrong]
    return found


def _merged(catalog: Entries, own: Entries) -> Entries:
    """A copy of the catalog's entries with others merged over them, key by key."""
    merged: Entries = json.loads(json.dumps(catalog))
    for name, entry in own.items():
        merged[name] = merge(merged.get(name, {}), entry)
    return merged


def _inherited(
    entries: Entries, section: Section, derive: Callable[[Any, Entry], Entry]
) -> tuple[Entries, list[str]]:
    """Entries with what they take from others by ``like``; one whose ``like`` leads nowhere stays as it is."""
    problems: list[str] = []

    def resolve(name: str, chain: tuple[str, ...]) -> Any:
        entry = entries[name]
        parent = as_map(entry).get("like")
        if not isinstance(parent, str):  # nothing to inherit, or a mistake that the schema finds
            return entry
        if parent in entries and parent not in chain:
            return derive(resolve(parent, (*chain, parent)), entry)
        if parent == chain[0]:
            circle = " → ".join((*chain, parent))
            problems.append(
                f"{section.name}.{parent}.like: {circle} is circular. Write out the keys of one of them."
            )
        elif len(chain) == 1:
            problems.append(
                f"{section.name}.{name}.like: there is no {section.noun} {parent!r}. {instead(parent, sorted(entries))}"
            )
        return entry

    return {name: resolve(name, (name,)) for name in entries}, problems


def load_experiment(
    config: Mapping[str, Any], workflow: Path, own: Mapping[str, Any] | None = None
) -> Experiment:
    """Check a configuration against schemas and catalog.

    Parameters
    ----------
    config
        As Snakemake merged it.
    workflow
        The folder that holds ``catalog/``.
    own
        What of `config` the user's own files say, so that the rest is from ``config.yaml``; None is all of it. A
        retriever that they select brings its encoders; one that they inherit beside a selection of their own is left
        out where these are not selected.

    Raises
    ------
    ConfigError
        Names every mistake: the key, the value, and what to write instead.
    """
    try:
        return _loaded(config, workflow, as_map(as_map(config if own is None else own).get("select")))
    except RecursionError:
        raise ConfigError(
            "config: entries name one another (of, times, start, retriever) in a chain of hundreds. Shorten it: of a "
            "fusion, name all that it joins in one list."
        ) from None


def _loaded(config: Mapping[str, Any], workflow: Path, chosen_here: Entry) -> Experiment:
    parsed, entries, problems, unfit = checked(config, workflow)
    selected: dict[str, list[str]] = {}
    for section in SECTIONS:
        known = entries[section.name]
        named = [
            (place, member)
            for place, name in section.names(parsed)
            for member in _members(section, entries, place, name)
        ]
        problems += [
            unknown(f"config.{place}", section.noun, name, known)
            for place, name in named
            if name not in known
        ]
        # what does not fit its schema is reported already, and nothing else can be said of it
        fit = known.keys() - unfit[section.name]
        selected[section.name] = [name for name in dict.fromkeys(name for _, name in named) if name in fit]
    left_out = {
        section.name: section.left_out(entries, selected)
        if chosen_here and section.name not in chosen_here
        else []
        for section in SECTIONS
    }
    for name, names in left_out.items():
        selected[name] = [one for one in selected[name] if one not in names]
    if not any(getattr(parsed.select, name) for name in MEASURED):
        first = [part.sections[0].name for part in FAMILIES if part.sections]
        wanted = ", or of ".join(name for name in first if name in MEASURED)
        problems.append(f"config.select: nothing is selected. Write names of {wanted}.")
    for part in PARTS:
        problems += part.problems(parsed, entries, selected)
    refuse(written_as(problems, entries["models"]))
    chosen = {name: {key: entries[name][key] for key in keys} for name, keys in selected.items()}
    asked = [name for part in PARTS for name in part.further_models(entries, selected)]
    further_models = {name: entries["models"][name] for name in asked if name not in chosen["models"]}
    return Experiment(parsed, entries, chosen, left_out, further_models, workflow, removed_products(config))


def _members(section: Section, entries: AllEntries, place: str, name: str) -> list[str]:
    """The entries that a name stands for; the name itself where it is one, or none that is known."""
    if name in entries[section.name]:
        return [name]
    found = section.members(entries, place, name)
    return [name] if found is None else found
