"""What the families that measure pair sets share: which sets are needed, their tables, how intervals are drawn.

The sentences of the pair sets with one ``family`` in their entries are one collection: they are embedded together.
"""

from collections.abc import Mapping
from typing import Any

from sentflow.config.entries import Entries
from sentflow.config.experiment import Experiment
from sentflow.config.model import Settings
from sentflow.config.pairs import needed_pair_sets
from sentflow.flow.job_settings import described_models
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


def pair_settings(
    experiment: Experiment, model: type[Settings], *parts: Mapping[str, Any] | Settings, **more: Any
) -> str:
    """Settings of a job on pairs: what `parts` say, then the sections ``similarity`` and ``statistics``."""
    config = experiment.config
    n = config.statistics.n_item_resamples
    return model.from_parts(*parts, config.similarity, config.statistics, n_resamples=n, **more).as_json()


def titles_of(experiment: Experiment, pair_sets: Entries) -> dict[str, Any]:
    """Titles of sets and encoders for summaries of pair sets."""
    models = described_models(experiment.models)
    return {
        "pairs": {name: PairSetTitle.from_parts(entry) for name, entry in pair_sets.items()},
        "models": {name: models[name] for name in experiment.fixed_models},
    }
