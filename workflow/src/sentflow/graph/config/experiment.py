"""From the configuration and the catalog to an experiment, with every mistake reported before the first job.

Standard library, PyYAML and jsonschema only: the Snakefile is read again in every cluster job.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.encoders.kinds import RANDOM, is_featuriser, is_lazy
from sentflow.graph.config.catalog import checked
from sentflow.graph.config.family import AllEntries, Entries, Entry, Selected
from sentflow.graph.config.messages import refuse, unknown
from sentflow.graph.config.pairs import families_of, needed_pair_sets
from sentflow.graph.config.parts import FAMILIES, MEASURED, PARTS, SECTIONS
from sentflow.graph.config.schema import load_schema, read_yaml
from sentflow.probing.protocol.named import NamedProtocol


@dataclass(frozen=True)
class Experiment:
    """What is to be run; every name in it exists.

    Attributes
    ----------
    config
        The validated configuration.
    models, tasks
        The selected entries by name, in the order of the selection.
    pair_sets, alignments, regressions
        The same of sentence pairs with scores, and of what is measured on them.
    datasets
        The entries of the datasets that the selected tasks and the pair sets of `families` need.
    tasks_of_dataset
        Every task of the catalog and the config that reads a dataset, so that the texts of a dataset, and
        with them its embeddings, do not depend on the selection.
    families
        Family → the pair sets whose sentences are embedded together: the selected ones, and those that selected
        alignments and regressions are made of; in the order of the catalog.
    published_similarity
        What papers report on pair sets: catalog/published_similarity.yaml.
    protocols
        The protocol of the scores, then those that a study compares with it, by name.
    protocol_notes, switch_notes
        What each protocol is for, and what each switch does, for the report.
    """

    config: Mapping[str, Any]
    models: Entries
    tasks: Entries
    pair_sets: Entries
    alignments: Entries
    regressions: Entries
    datasets: Entries
    tasks_of_dataset: dict[str, Entries]
    families: dict[str, Entries]
    published_similarity: Mapping[str, Any]
    protocols: dict[str, NamedProtocol]
    protocol_notes: dict[str, str]
    switch_notes: dict[str, str]

    @property
    def title(self) -> str:
        """Name of the experiment for captions."""
        return str(self.config["experiment"]["title"])

    @property
    def repetitions(self) -> range:
        """1-based repetitions."""
        return self._counted("repetitions")

    @property
    def folds(self) -> range:
        """1-based folds."""
        return self._counted("folds")

    @property
    def protocol(self) -> NamedProtocol:
        """The protocol of the scores."""
        return self.protocols[self.config["probe"]["protocol"]]

    @property
    def study(self) -> list[str]:
        """Names of the protocols that are compared with `protocol`."""
        return [name for name in self.protocols if name != self.protocol.name]

    def _counted(self, what: str) -> range:
        return range(1, self.protocol.cross_validation(self.config["probe"])[what] + 1)

    @property
    def fixed_models(self) -> list[str]:
        """Models that give a text one vector, whatever it is used for."""
        others = {*self.lazy_models, *self.featurisers}
        return [name for name in self.models if name not in others]

    @property
    def lazy_models(self) -> list[str]:
        """Models that are fitted inside each fold."""
        return [name for name, entry in self.models.items() if is_lazy(entry)]

    @property
    def featurisers(self) -> list[str]:
        """Models that make the features of a task's rows themselves, before the folds."""
        return [name for name, entry in self.models.items() if is_featuriser(entry)]

    @property
    def random_models(self) -> list[str]:
        """Models whose vectors know nothing of the texts."""
        return [name for name, entry in self.models.items() if entry["kind"] == RANDOM]


def load_experiment(config: Mapping[str, Any], workflow: Path) -> Experiment:
    """Check a configuration against schemas and catalog.

    Parameters
    ----------
    config
        As Snakemake merged it.
    workflow
        The folder that holds ``catalog/`` and ``schemas/``.

    Raises
    ------
    ConfigError
        Names every mistake: the key, the value, and what to write instead.
    """
    plain, entries, problems, unfit = checked(config, workflow)
    selected: dict[str, list[str]] = {}
    for section in SECTIONS:
        known, named = entries[section.name], section.names(plain)
        problems += [
            unknown(f"config.{place}", section.noun, name, known)
            for place, name in named
            if name not in known
        ]
        # what does not fit its schema is reported already, and nothing else can be said of it
        fit = known.keys() - unfit[section.name]
        selected[section.name] = [name for name in dict.fromkeys(name for _, name in named) if name in fit]
    if not any(plain["select"].get(name) for name in MEASURED):
        wanted = ", or of ".join(part.sections[0].name for part in FAMILIES)
        problems.append(f"config.select: nothing is selected. Write names of {wanted}.")
    for part in PARTS:
        problems += part.problems(plain, entries, selected)
    refuse(problems)
    return _experiment(plain, entries, selected, workflow)


def _experiment(config: Entry, entries: AllEntries, selected: Selected, workflow: Path) -> Experiment:
    chosen = {
        section: {name: entries[section][name] for name in selected[section]}
        for section in ("models", "tasks", "pair_sets", "alignments", "regressions")
    }
    families = families_of(needed_pair_sets(selected, entries), entries["pair_sets"])
    of_tasks = dict.fromkeys(entry["dataset"] for entry in chosen["tasks"].values())
    of_pairs = [entry["dataset"] for pair_sets in families.values() for entry in pair_sets.values()]
    protocols = {name: entries["protocols"][name] for name in selected["protocols"]}
    switches = load_schema(workflow, "protocols")["$defs"]["switches"]["properties"]
    return Experiment(
        config=config,
        **chosen,
        datasets={name: entries["datasets"][name] for name in dict.fromkeys([*of_tasks, *of_pairs])},
        tasks_of_dataset={
            dataset: {name: entry for name, entry in entries["tasks"].items() if entry["dataset"] == dataset}
            for dataset in of_tasks
        },
        families=families,
        published_similarity=read_yaml(workflow / "catalog" / "published_similarity.yaml"),
        protocols={name: NamedProtocol.from_entry(name, entry) for name, entry in protocols.items()},
        protocol_notes={name: entry.get("description", "") for name, entry in protocols.items()},
        switch_notes={name: switch["description"] for name, switch in switches.items()},
    )
