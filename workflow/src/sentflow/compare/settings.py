"""What jobs read that put the scores of tasks together.

The Snakefile imports it: standard library and pydantic only.
"""

from typing import Literal

from sentflow.config.model import Int, Number, Settings, Text


class TaskTitle(Settings):
    """What is shown of a task."""

    title: Text
    """In tables."""
    family: str
    """Its heading there."""


class ModelTitle(Settings):
    """What is shown of an encoder."""

    title: Text
    """In tables."""
    control: bool
    """Whether it is a negative control."""
    position: Int = -1
    """Decides its colour; encoders and controls are counted apart."""
    fitted: bool = False
    """Whether it is fitted inside each fold."""


class Titles(Settings):
    """Tasks and encoders, in the order of the tables."""

    tasks: dict[str, TaskTitle]
    """By name."""
    models: dict[str, ModelTitle]
    """By name."""

    def as_json(self) -> str:
        """The text by which a job receives it, with keys unsorted: their order is that of the tables."""
        return self.model_dump_json(exclude_none=True)


class ComparisonSettings(Settings):
    """How encoders are compared."""

    level: Number
    """Of every interval."""
    alpha: Number
    """Error rate of the tests."""
    rope: Number
    """Difference that counts as none."""
    n_item_resamples: Int
    """Of the paired bootstrap over texts, and of the intervals of ranks."""
    adjustment: Literal["holm", "benjamini-hochberg"]
    """Of p-values over all tasks."""
    test: Literal["out-of-fold", "corrected-t"]
    """Of two encoders on a task where out-of-fold predictions are calibrated; elsewhere it is corrected-t."""


class ComparedTasks(Titles):
    """What is compared, and how."""

    sources: dict[str, Text]
    """Task → what it has in common with others, e.g. its dataset."""
    statistics: ComparisonSettings
    """How."""


class ComparedProtocol(Titles):
    """A protocol whose effects are measured."""

    protocol: Text
    """Its name."""
    protocol_title: str
    """In tables."""
