"""What is said of trainings: of sweeps beside published values, and of what seeds and pairs decide."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.encoders.kinds.table import TRAINED
from sentflow.families.pair_sets import measured, resampling
from sentflow.families.training.shown import shown_sweep
from sentflow.graph import paths
from sentflow.graph.job_settings import json_text


class StudyOfTrainings:
    """Sweeps and the seeds of trainings; what a trained encoder is worth is measured like that of any other."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.sweeps = experiment.selected["sweeps"]

    @cached_property
    def groups(self) -> dict[str, dict[int, str]]:
        """Trained encoders by their names without seeds, by their seeds."""
        found: dict[str, dict[int, str]] = {}
        for name, entry in self.experiment.models.items():
            if entry["kind"] == TRAINED:
                found.setdefault(entry.get("seed_of", name), {})[entry["seed"]] = name
        return found

    @cached_property
    def seeded(self) -> dict[str, dict[int, str]]:
        """The groups with several seeds."""
        return {name: seeds for name, seeds in self.groups.items() if len(seeds) > 1}

    def comparisons(self) -> list[str]:
        """What seeds and pairs decide."""
        return [paths.TRAINING_SEEDS] if self.seeded and self.experiment.selected["pair_sets"] else []

    def published(self) -> Mapping[str, Any]:
        """See `sentflow.graph.family.Family.published`."""
        workflow = self.experiment.workflow
        if not self.groups:
            return {}
        sweeps = [shown_sweep(name, sweep, workflow) for name, sweep in self.sweeps.items()]
        return {"training-sweep": sweeps, "training-reduced": sweeps}

    def similarities(self) -> list[str]:
        """The similarities of every pair by every training with several seeds."""
        return [
            paths.SIMILARITY_ROWS.format(pairs=pairs, model=model)
            for pairs in self.experiment.selected["pair_sets"]
            for seeds in self.seeded.values()
            for model in seeds.values()
        ]

    def comparison_settings(self, _wildcards: Any) -> str:
        """What is compared, and how."""
        models = self.experiment.models
        controls = [
            name
            for name, seeds in self.seeded.items()
            if any(models[model].get("control") for model in seeds.values())
        ]
        return json_text(
            {
                "pairs": list(self.experiment.selected["pair_sets"]),
                "groups": self.seeded,
                "controls": controls,
                "alpha": self.experiment.config.statistics.alpha,
                **measured(self.experiment),
                **resampling(self.experiment),
            }
        )
