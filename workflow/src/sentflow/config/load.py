"""From configuration and catalog to an experiment, with every mistake reported before the first job.

Standard library, PyYAML and pydantic only: the Snakefile is read again in every cluster job.
"""

import json
from collections.abc import Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from sentflow.config.configuration import Configuration
from sentflow.config.datasets import SAMPLES, sample_files
from sentflow.config.entries import AllEntries, Entries, Entry, Selected, as_map, merge, read_yaml
from sentflow.config.experiment import Experiment
from sentflow.config.model import OwnEntries, mistakes
from sentflow.config.model import Path as Place
from sentflow.config.own_paths import read_configuration_file
from sentflow.config.problems import encoders, probing, retrieval
from sentflow.config.problems.common import made_of_seeds, name_problems, plain_values, refuse, unknown
from sentflow.config.problems.encoders import written_as
from sentflow.config.removed import removed_names, without_removed
from sentflow.config.retrievers import DENSE, further_encoders, without_encoder
from sentflow.config.sections import MEASURED, SECTIONS, SWEEPS, Section
from sentflow.config.short_forms import write_out, write_out_rounds
from sentflow.config.trained import further_models, write_out_models
from sentflow.errors import ConfigError, instead
from sentflow.flow import products
from sentflow.flow.products import CHECK, FIGURE, TABLE
from sentflow.jobs.secrecy import secret_problems
from sentflow.training.snapshots import choosing_questions, snapshot_entries

# What keys say together is looked at when each of them is right; another round finds nothing new
_ROUNDS = 3


def load_experiment(
    config: Mapping[str, Any], workflow: Path, own: Mapping[str, Any] | None = None
) -> Experiment:
    """Check a configuration against models and catalog.

    `config`: as Snakemake merged it. `workflow`: the folder that holds ``catalog/``. `own`: what of `config` the user's
    own files say, so that the rest is from ``config.yaml``; None is all of it. A retriever that they select brings its
    encoders; one that they inherit beside a selection of their own is left out where these are not selected. Raises
    ConfigError: names every mistake: the key, the value, and what to write instead.
    """
    own = as_map(config if own is None else own)
    chosen = as_map(own.get("select"))
    if own.get("extends") == "none":
        nothing: Entry = {"models": [], "tasks": []}
        config = {**config, "experiment": own.get("experiment"), "select": {**nothing, **chosen}}
    try:
        return _loaded(config, workflow, chosen)
    except RecursionError:
        raise ConfigError(
            "config: entries name one another (of, times, start, retriever) in a chain of hundreds. Shorten it: of a "
            "fusion, name all that it joins in one list."
        ) from None


def load_catalog(config: Mapping[str, Any], workflow: Path) -> AllEntries:
    """Everything that could be selected: section → name → entry, with what it takes by ``like``.

    `config`: as Snakemake merged it; what it selects is not looked at. Raises ConfigError: names every mistake of the
    configuration but those of the selection.
    """
    _, entries, found, _ = _checked(config, workflow)
    refuse(written_as(found, entries["models"]))
    return entries


def catalog_with(own: Mapping[str, Any], workflow: Path, *sections: str) -> AllEntries:
    """The catalog with the entries of some sections of a caller merged over it, for programs that are no experiment.

    Raises ConfigError: names every mistake in these sections.
    """
    plain = plain_values({name: own.get(name) or {} for name in sections})
    maps = [mistakes(OwnEntries, entries, where=f"config.{name}") for name, entries in plain.items()]
    refuse([str(mistake) for wrong in maps for mistake in wrong])
    entries, found, unfit = read_entries(plain, workflow)
    of_tasks = (
        problem
        for name, entry in _fit(entries, unfit)["tasks"].items()
        if entry and "tasks" in sections
        for problem in probing.source_problems(name, entry, entries["datasets"])
    )
    refuse([*found, *of_tasks])
    return entries


def read_own(settings: Any) -> Entry:
    """What the files and the command line of Snakemake say, given its settings of the configuration."""
    layers = [*map(read_configuration_file, settings.configfiles), dict(settings.config)]
    return reduce(merge, (as_map(layer) for layer in layers), {})


def _loaded(config: Mapping[str, Any], workflow: Path, chosen_here: Entry) -> Experiment:
    parsed, entries, found, unfit = _checked(config, workflow)
    selected: dict[str, list[str]] = {}
    for section in SECTIONS:
        known = entries[section.name]
        named = [
            (place, member)
            for place, name in section.names(parsed)
            for member in _members(section.name, known, place, name)
        ]
        found += [
            unknown(f"config.{place}", section.noun, name, known)
            for place, name in named
            if name not in known
        ]
        # what does not fit its model is reported already, and nothing else can be said of it
        fit = known.keys() - unfit[section.name]
        selected[section.name] = [name for name in dict.fromkeys(name for _, name in named) if name in fit]
    left_out = [] if not chosen_here or "retrievers" in chosen_here else without_encoder(entries, selected)
    selected["retrievers"] = [name for name in selected["retrievers"] if name not in left_out]
    if not any(getattr(parsed.select, name) for name in MEASURED):
        found.append(
            "config.select: nothing is selected. Write names of tasks, or of pair_sets, or of alignments, or of "
            "question_sets."
        )
    found += _selection_problems(parsed, _fit(entries, unfit), selected)
    refuse(written_as(found, entries["models"]))
    chosen = {name: {key: entries[name][key] for key in keys} for name, keys in selected.items()}
    needed = [*further_encoders(entries, selected), *further_models(entries, selected)]
    others = {name: entries["models"][name] for name in needed if name not in chosen["models"]}
    trained = {**chosen["models"], **others}
    for entry in entries["models"].values():  # an encoder is the same, however it is written
        entry.pop("round_of", None)
    for name in choosing_questions(trained):  # each snapshot is a retriever, which nobody selects
        for snapshot in snapshot_entries(name, trained[name]):
            entries["retrievers"][snapshot] = {"kind": DENSE, "model": snapshot}
    notices = [*removed_names(config), *_missing_samples(entries["datasets"])]
    return Experiment(parsed, entries, chosen, left_out, others, workflow, notices)


def _missing_samples(datasets: Entries) -> Iterator[str]:
    """Sample texts of a set that sentflow does not have, so that those of set 1 are used."""
    for name, entry in datasets.items():
        addresses = [address for file in entry["files"].values() for address in file.get("urls", ())]
        if "seed" in entry and not all(one.startswith(f"{SAMPLES}{entry['seed']}/") for one in addresses):
            yield f"datasets.{name}.seed: sample texts of set {entry['seed']}; those of set 1 are used instead"


def _selection_problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    yield from encoders.encoder_problems(entries, selected)
    yield from probing.problems(config, entries, selected)
    yield from probing.pair_problems(config, entries, selected)
    yield from retrieval.problems(config, entries, selected)
    yield from encoders.training_problems(entries, selected)


def _members(section: str, known: Entries, place: str, name: str) -> list[str]:
    """The entries that a name stands for: itself, those of its seeds, or the cells of a sweep."""
    if name in known:
        return [name]
    if section == "models" and place == SWEEPS:
        return [key for key, entry in known.items() if as_map(as_map(entry).get("cell")).get("sweep") == name]
    made = made_of_seeds(name, known) if section in ("models", "retrievers") else []
    return made or [name]


def _fit(entries: AllEntries, unfit: Mapping[str, set[str]]) -> AllEntries:
    """Entries, empty where they do not fit their model: nothing else is said of them."""
    return {
        section: {name: {} if name in unfit[section] else entry for name, entry in of_section.items()}
        for section, of_section in entries.items()
    }


def _checked(
    config: Mapping[str, Any], workflow: Path
) -> tuple[Configuration, AllEntries, list[str], dict[str, set[str]]]:
    """The configuration, and what `read_entries` finds.

    What is wrong is left out of the configuration then, or is as in ``config.yaml``, so that all else in it is checked
    in the same round. Where that does not make it right, its mistakes are raised at once.
    """
    plain = without_removed(plain_values(config))
    found = _secrets(plain)
    for _ in range(_ROUNDS):
        if not (wrong := mistakes(Configuration, plain, where="config")):
            break
        found += map(str, wrong)
        for mistake in wrong:
            plain = _replaced(plain, mistake.faulty[1:], _default(workflow))
    else:
        refuse(found)
    parsed = Configuration.model_validate(plain)
    found += _unknown_products(parsed)
    entries, of_entries, unfit = read_entries(plain, workflow)
    fit = _fit(entries, unfit)
    found += of_entries
    found += [*probing.entry_problems(fit), *encoders.entry_problems(fit)]
    return parsed, entries, found, unfit


def _unknown_products(config: Configuration) -> Iterator[str]:
    for kind in (TABLE, FIGURE, CHECK):
        known = products.names(kind)
        for place, name in enumerate(getattr(config.report, f"{kind}s")):
            if name not in known:
                yield f"config.report.{kind}s.{place}: there is no {kind} {name!r}. {instead(name, known)}"


def _default(workflow: Path) -> Any:
    file = workflow.parent / "config.yaml"
    return read_yaml(file) if file.is_file() else {}


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


# --- entries


def read_entries(
    config: Mapping[str, Any], workflow: Path
) -> tuple[AllEntries, list[str], dict[str, set[str]]]:
    """All entries, selected or not, with short forms and ``like`` written out, and what is wrong with them.

    `config`: in built-in types; its entries are merged over those of the catalog. Returns: the entries, their problems,
    and by section the names of those that do not fit their model.
    """
    catalog = {section.name: read_yaml(workflow / "catalog" / f"{section.name}.yaml") for section in SECTIONS}
    own = {section.name: dict(as_map(config.get(section.name))) for section in SECTIONS}
    refuse(write_out_rounds(own, catalog))
    entries: AllEntries = {name: _merged(catalog[name], own[name]) for name in catalog}
    found = [*name_problems(entries), *_fixed_switches(catalog["protocols"], own["protocols"])]
    unfit: dict[str, set[str]] = {}
    for section in SECTIONS:
        refused = write_out(section.name, section.noun, entries)
        entries[section.name], circles = _inherited(entries[section.name], section)
        unfit[section.name] = {*refused}
        found += [*(problem for of_entry in refused.values() for problem in of_entry), *circles]
    for name, entry in entries["tasks"].items():
        if name not in catalog["tasks"]:
            entries["tasks"][name] = merge(entry, {"published": False})
    found += write_out_models(entries)
    for section in SECTIONS:
        for name, entry in entries[section.name].items():
            if name not in unfit[section.name] and (wrong := _mistakes(section, name, entry)):
                found += wrong
                unfit[section.name].add(name)
            # what is left of `like` leads nowhere
            if "like" in as_map(entry):
                unfit[section.name].add(name)
    for name, entry in entries["datasets"].items():
        if "seed" in as_map(entry) and name not in unfit["datasets"]:
            entries["datasets"][name], wrong = sample_files(name, entry, workflow / "catalog" / "samples")
            found += wrong
    return entries, found, unfit


def _fixed_switches(catalog: Entries, own: Entries) -> Iterator[str]:
    """Switches of the catalog's protocols that a configuration sets: then a name would not mean one thing."""
    for name, entry in own.items():
        for key in ("like", "switches"):
            if name in catalog and key in as_map(entry):
                yield (
                    f"protocols.{name}.{key}: the protocol {name} of the catalog is fixed except for its training, so "
                    f"that its name has one meaning. Write an entry of your own with like: {name}."
                )


def _mistakes(section: Section, name: str, entry: Any) -> list[str]:
    """What is wrong with an entry and its name."""
    wrong = mistakes(section.key, name, where=section.name)
    if section.derive is None and "like" in as_map(entry):
        like = f"{section.name}.{name}.like: a {section.noun} cannot use like. Write its keys here."
        return [*map(str, wrong), like]
    wrong += mistakes(section.model, entry, where=f"{section.name}.{name}", partial="like" in as_map(entry))
    return [str(mistake) for mistake in wrong]


def _merged(catalog: Entries, own: Entries) -> Entries:
    """A copy of the catalog's entries with others merged over them, key by key."""
    merged: Entries = json.loads(json.dumps(catalog))
    for name, entry in own.items():
        merged[name] = merge(merged.get(name, {}), entry)
    return merged


def _inherited(entries: Entries, section: Section) -> tuple[Entries, list[str]]:
    """Entries with what they take from others by ``like``; one whose ``like`` leads nowhere stays as it is."""
    found: list[str] = []
    derive = section.derive

    def resolve(name: str, chain: tuple[str, ...]) -> Any:
        entry = entries[name]
        parent = as_map(entry).get("like")
        if derive is None or not isinstance(parent, str):  # nothing to inherit, or a mistake of the model
            return entry
        if parent in entries and parent not in chain:
            return derive(resolve(parent, (*chain, parent)), entry)
        if parent == chain[0]:
            circle = " → ".join((*chain, parent))
            found.append(
                f"{section.name}.{parent}.like: {circle} is circular. Write out the keys of one of them."
            )
        elif len(chain) == 1:
            found.append(
                f"{section.name}.{name}.like: there is no {section.noun} {parent!r}. {instead(parent, sorted(entries))}"
            )
        return entry

    return {name: resolve(name, (name,)) for name in entries}, found
