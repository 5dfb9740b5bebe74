"""The experiment that a configuration selects.

The Snakefile reads this in every job: standard library, PyYAML and pydantic only.
"""

import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sentflow.config.configuration import Configuration
from sentflow.config.entries import AllEntries, Entries
from sentflow.encoders.entries import is_featuriser, is_lazy
from sentflow.encoders.settings import RANDOM, TRAINED
from sentflow.training.snapshots import snapshot_entries


@dataclass(frozen=True)
class Experiment:
    """What is to be run; every name in it exists."""

    config: Configuration
    # entries: section → everything that could be selected, by name: the catalog with the configuration's own over it
    entries: AllEntries
    selected: AllEntries  # section → the entries that are selected or named otherwise, in that order
    left_out: Sequence[
        str
    ]  # retrievers that ``config.yaml`` selects, but whose encoders the user's selection lacks
    further_models: (
        Entries  # encoders that the selected ones and their families need: of two texts, or to train on
    )
    workflow: pathlib.Path  # the folder that holds ``catalog/``
    notices: Sequence[str] = ()  # what the configuration names that is gone, and what to read instead

    @property
    def title(self) -> str:
        return self.config.experiment.title

    @property
    def models(self) -> Entries:
        return self.selected["models"]

    @cached_property
    def fetched_models(self) -> Entries:
        """Everything that is fetched or trained: the selected encoders, what they need, snapshots of trained ones."""
        return {**self.models, **self.further_models, **self.snapshots}

    @cached_property
    def trained_models(self) -> Entries:
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
