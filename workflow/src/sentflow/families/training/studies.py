"""What is said of trainings together: sweeps, several seeds, and published values beside ours."""

from functools import cached_property
from typing import Any

from sentflow.families.pair_sets import measured, resampling
from sentflow.families.training.shown import published_lines, shown_sweep
from sentflow.graph import paths
from sentflow.graph.config.experiment import Experiment
from sentflow.graph.job_settings import json_text

_TRAINED = "trained"


class Studies:
    """The trained encoders of an experiment, by what they have in common.

    Parameters
    ----------
    experiment
        Of which the selected encoders are looked at.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.sweeps = experiment.selected["sweeps"]

    @cached_property
    def groups(self) -> dict[str, dict[int, str]]:
        """Name of an entry without its seed → seed → encoder."""
        found: dict[str, dict[int, str]] = {}
        for name, entry in self.experiment.models.items():
            if entry["kind"] == _TRAINED:
                found.setdefault(entry.get("seed_of", name), {})[entry["seed"]] = name
        return found

    @cached_property
    def seeded(self) -> dict[str, dict[int, str]]:
        """The groups with several seeds."""
        return {name: seeds for name, seeds in self.groups.items() if len(seeds) > 1}

    def available(self) -> dict[str, bool]:
        """What tables may need → whether there is any."""
        return {
            "trainings": bool(self.groups),
            "sweeps": bool(self.groups and self.sweeps),
            "training seeds": bool(self.comparisons()),
        }

    def published(self) -> dict[str, Any]:
        """Table → what others report of the trainings that it shows, and the cells of sweeps."""
        if not self.groups:
            return {}
        workflow = self.experiment.workflow
        sweeps = [shown_sweep(name, sweep, workflow) for name, sweep in self.sweeps.items()]
        return {**published_lines(workflow), "training-sweep": sweeps, "training-reduced": sweeps}

    def comparisons(self) -> list[str]:
        """What seeds and pairs decide, where there are both."""
        return [paths.TRAINING_SEEDS] if self.similarities() else []

    def similarities(self) -> list[str]:
        """The similarities of every pair by every training with several seeds, pair set after pair set."""
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
                "alpha": self.experiment.config["statistics"]["alpha"],
                **measured(self.experiment),
                **resampling(self.experiment),
            }
        )
