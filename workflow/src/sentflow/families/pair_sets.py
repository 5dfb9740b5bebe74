"""What the families that measure pair sets share: which sets are needed, their tables, how intervals are drawn.

The sentences of the pair sets with one ``family`` in their entries are one collection: they are embedded together.
"""

from typing import Any

from sentflow.config.entries import Entries
from sentflow.config.experiment import Experiment
from sentflow.config.pairs import needed_pair_sets
from sentflow.flow.job_settings import described_models, pick
from sentflow.report.settings import PairSetTitle


def embedded_sets(experiment: Experiment) -> dict[str, Entries]:
    """Collection → the pair sets whose sentences are embedded together, as the catalog orders them."""
    needed, pair_sets = (
        needed_pair_sets(experiment.selected, experiment.entries),
        experiment.entries["pair_sets"],
    )
    families: dict[str, Entries] = {pair_sets[name]["family"]: {} for name in needed}
    for name, entry in pair_sets.items():
        if name in needed:
            families[entry["family"]][name] = entry
    return families


def development_sets(experiment: Experiment) -> Entries:
    """The pair sets on which snapshots of trained encoders are scored, by name."""
    named = (entry.get("selection", {}).get("pairs") for entry in experiment.trained_models.values())
    return {name: experiment.entries["pair_sets"][name] for name in named if name}


def measured(experiment: Experiment) -> dict[str, Any]:
    """The similarity and the correlation that tables show."""
    return pick(experiment.config.similarity, "measure", "correlation")


def resampling(experiment: Experiment) -> dict[str, Any]:
    """How intervals over pairs are drawn."""
    statistics = experiment.config.statistics
    return {
        "level": statistics.level,
        "n_resamples": statistics.n_item_resamples,
        "seed": experiment.config.similarity.seed,
    }


def titles_of(experiment: Experiment, pair_sets: Entries) -> dict[str, Any]:
    """What summaries of pair sets read: titles of sets and encoders, what tables show, the level of intervals."""
    models = described_models(experiment.models)
    return {
        "pairs": {name: PairSetTitle.from_parts(entry) for name, entry in pair_sets.items()},
        "models": {name: models[name] for name in experiment.fixed_models},
        **measured(experiment),
        "level": experiment.config.statistics.level,
    }
