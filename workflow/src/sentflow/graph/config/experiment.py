"""From the configuration and the catalog to an experiment, with every mistake reported before the first job.

Standard library, PyYAML, pydantic and jsonschema only: the Snakefile is read again in every cluster job.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sentflow.config.experiment import Configuration
from sentflow.config.removed import removed_products
from sentflow.encoders.entries import is_featuriser, is_lazy
from sentflow.encoders.kinds.table import RANDOM, TRAINED
from sentflow.errors import ConfigError
from sentflow.graph.config.catalog import checked
from sentflow.graph.config.family import AllEntries, Entries, Entry, Section
from sentflow.graph.config.messages import as_map, refuse, unknown
from sentflow.graph.config.parts import family_parts, known_parts, known_sections, measured
from sentflow.graph.config.shared import written_as
from sentflow.training.snapshots import snapshot_entries


@dataclass(frozen=True)
class Experiment:
    """What is to be run; every name in it exists.

    Attributes
    ----------
    config
        The validated configuration.
    entries
        Section → everything that could be selected, by name: the catalog with the configuration's own merged over it.
    selected
        Section → the entries that are selected or named otherwise, in that order.
    left_out
        Section → the names that ``config.yaml`` selects, but that are left out, see `Section.left_out`.
    further_models
        Encoders that the selected ones and their families need: of two texts, or to train on.
    workflow
        The folder that holds ``catalog/`` and ``schemas/``.
    notices
        What the configuration names that is gone, and what to read instead.
    """

    config: Configuration
    entries: AllEntries
    selected: AllEntries
    left_out: Mapping[str, list[str]]
    further_models: Entries
    workflow: Path
    notices: Sequence[str] = ()

    @property
    def title(self) -> str:
        """Name of the experiment for captions."""
        return self.config.experiment.title

    @property
    def models(self) -> Entries:
        """The selected encoders."""
        return self.selected["models"]

    @cached_property
    def fetched_models(self) -> Entries:
        """Everything that is fetched or trained: the selected encoders, what they need, snapshots of trained ones."""
        return {**self.models, **self.further_models, **self.snapshots}

    @cached_property
    def trained_models(self) -> Entries:
        """Encoders that are trained here, selected or not."""
        needed = {**self.models, **self.further_models}
        return {name: entry for name, entry in needed.items() if entry["kind"] == TRAINED}

    @cached_property
    def snapshots(self) -> Entries:
        """Trained encoders after some of their steps, by name, where development scores are asked for."""
        of_models = (snapshot_entries(name, entry) for name, entry in self.trained_models.items())
        return {name: entry for snapshots in of_models for name, entry in snapshots.items()}

    @cached_property
    def fixed_models(self) -> list[str]:
        """Models that give a text one vector, whatever it is used for."""
        others = {*self.lazy_models, *self.featurisers}
        return [name for name in self.models if name not in others]

    @cached_property
    def lazy_models(self) -> list[str]:
        """Models that are fitted inside each fold."""
        return [name for name, entry in self.models.items() if is_lazy(entry)]

    @cached_property
    def featurisers(self) -> list[str]:
        """Models that make the features of a task's rows themselves, before the folds."""
        return [name for name, entry in self.models.items() if is_featuriser(entry)]

    @property
    def random_models(self) -> list[str]:
        """Models whose vectors know nothing of the texts."""
        return [name for name, entry in self.models.items() if entry["kind"] == RANDOM]


def load_experiment(
    config: Mapping[str, Any], workflow: Path, own: Mapping[str, Any] | None = None
) -> Experiment:
    """Check a configuration against schemas and catalog.

    Parameters
    ----------
    config
        As Snakemake merged it.
    workflow
        The folder that holds ``catalog/`` and ``schemas/``.
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
    for section in known_sections():
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
        for section in known_sections()
    }
    for name, names in left_out.items():
        selected[name] = [one for one in selected[name] if one not in names]
    if not any(getattr(parsed.select, name) for name in measured()):
        first = [part.sections[0].name for part in family_parts() if part.sections]
        wanted = ", or of ".join(name for name in first if name in measured())
        problems.append(f"config.select: nothing is selected. Write names of {wanted}.")
    for part in known_parts():
        problems += part.problems(parsed, entries, selected)
    refuse(written_as(problems, entries["models"]))
    chosen = {name: {key: entries[name][key] for key in keys} for name, keys in selected.items()}
    asked = [name for part in known_parts() for name in part.further_models(entries, selected)]
    further_models = {name: entries["models"][name] for name in asked if name not in chosen["models"]}
    return Experiment(parsed, entries, chosen, left_out, further_models, workflow, removed_products(config))


def _members(section: Section, entries: AllEntries, place: str, name: str) -> list[str]:
    """The entries that a name stands for; the name itself where it is one, or none that is known."""
    if name in entries[section.name]:
        return [name]
    found = section.members(entries, place, name)
    return [name] if found is None else found
