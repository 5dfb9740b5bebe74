"""The catalog's entries with those of a configuration merged over them, short forms and ``like`` written out."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from pathlib import Path
from typing import Any

from sentflow.config.model import mistakes
from sentflow.encoders.manifest import SOURCE_KEYS
from sentflow.errors import instead
from sentflow.files.settings_files import read_settings
from sentflow.graph.config.family import AllEntries, Entries, Entry, Section
from sentflow.graph.config.messages import as_map, not_reported
from sentflow.graph.config.schema import load_schema, read_yaml, schema_problems


def laid_over(base: Any, top: Any, key: str = "") -> Any:
    """A value over another: maps key by key, anything else replaces what is below.

    The source of an encoder that names another origin is such a thing: no key of the origin below fits it. `key` is the
    one that holds both values.
    """
    if not (isinstance(base, dict) and isinstance(top, dict)):
        return top
    if key == "source" and (origin := _origin(top)) and origin != _origin(base):
        return top
    return {**base, **{name: laid_over(base.get(name), value, name) for name, value in top.items()}}


def read_own(settings: Any) -> Entry:
    """What the files and the command line of Snakemake say, given its settings of the configuration."""
    layers = [*map(read_settings, settings.configfiles), dict(settings.config)]
    return reduce(laid_over, (as_map(layer) for layer in layers), {})


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
        The folder that holds ``catalog/`` and ``schemas/``.
    sections
        Those to read.
    before, after
        Further problems of entries as they are written, and of entries that are written out. What they find is not
        reported again in the words of the schema.

    Returns
    -------
    tuple
        The entries, their problems, and by section the names of those that do not fit their schema.
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
            refused = section.write_out(entries, partial(load_schema, workflow))
            unfit[section.name] = set(refused)
            problems += [problem for found in refused.values() for problem in found]
        if section.derive:
            entries[section.name], found = _inherited(entries[section.name], section, section.derive)
            problems += found
        if section.own:
            entries[section.name] = {
                name: entry if name in catalog[section.name] else laid_over(entry, section.own)
                for name, entry in entries[section.name].items()
            }
    problems += after(entries)
    for section in sections:
        name, of_section = section.name, entries[section.name]
        written = {key: entry for key, entry in of_section.items() if key not in unfit[name]}
        wrong = _mistakes(section, written) if section.model else _misfits(name, written, workflow)
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


def _misfits(section: str, entries: Entries, workflow: Path) -> dict[str, list[str]]:
    """The same of a section that has a schema."""
    schema = load_schema(workflow, section)
    if not schema_problems(entries, schema, where=section):
        return {}
    found = {name: schema_problems({name: entry}, schema, where=section) for name, entry in entries.items()}
    return {name: problems for name, problems in found.items() if problems}


def derived(base: Any, entry: Entry) -> Entry:
    """An entry merged over the one that it is like: key by key, and key by key again in ``reader``."""
    base = as_map(base)
    own = {key: value for key, value in entry.items() if key != "like"}
    reader, own_reader = as_map(base.get("reader")), own.get("reader", {})
    if not isinstance(own_reader, dict) or not (reader or own_reader):
        return {**base, **own}
    # another format has other keys: nothing of the other reader fits it
    keep = own_reader.get("format", reader.get("format")) == reader.get("format")
    return {**base, **own, "reader": {**reader, **own_reader} if keep else own_reader}


def _origin(source: Entry) -> dict[str, Any]:
    """Where a source comes from: the keys that say it, a hub model or package with its name."""
    named = [key for key in SOURCE_KEYS if key in source and (key != "folder" or "package" not in source)]
    return {key: source[key] if key in ("hub", "package") else None for key in named}


def _merged(catalog: Entries, own: Entries) -> Entries:
    """A copy of the catalog's entries with others merged over them, key by key."""
    merged: Entries = json.loads(json.dumps(catalog))
    for name, entry in own.items():
        merged[name] = laid_over(merged.get(name, {}), entry)
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
