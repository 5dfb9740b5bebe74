"""What the families that measure pair sets have in common: their tables, and the settings of their resampling."""

from collections.abc import Iterable
from typing import Any

from sentflow.graph import paths
from sentflow.graph.config.experiment import Experiment
from sentflow.graph.config.family import Entries
from sentflow.graph.job_settings import pick


def needed_pair_sets(experiment: Experiment) -> Entries:
    """Every pair set that is needed, selected or not, by name."""
    return {name: entry for sets in experiment.families.values() for name, entry in sets.items()}


def tables_of(pair_sets: Iterable[str]) -> list[str]:
    """The tables of pair sets, in their order."""
    return [paths.PAIR_SET.format(pairs=name) for name in pair_sets]


def digests_of(pair_sets: Iterable[str]) -> list[str]:
    """The digests beside `tables_of`."""
    return [paths.PAIR_SET_DIGEST.format(pairs=name) for name in pair_sets]


def measured(experiment: Experiment) -> dict[str, Any]:
    """The similarity and the correlation that tables show."""
    return pick(experiment.config["similarity"], "measure", "correlation")


def resampling(experiment: Experiment) -> dict[str, Any]:
    """How intervals over pairs are drawn."""
    statistics = experiment.config["statistics"]
    return {
        "level": statistics["level"],
        "n_resamples": statistics["n_item_resamples"],
        "seed": experiment.config["similarity"]["seed"],
    }
