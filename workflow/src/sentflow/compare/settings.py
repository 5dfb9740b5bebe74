"""What jobs read that put the scores of tasks together.

The Snakefile imports it: standard library and pydantic only.
"""

from sentflow.config.configuration import ComparisonStatistics
from sentflow.config.model import Int, Settings, Text


class TaskTitle(Settings):
    """What is shown of a task."""

    title: Text
    family: str


class ModelTitle(Settings):
    """What is shown of an encoder."""

    title: Text
    control: bool
    position: Int = -1
    """Decides its colour; encoders and controls are counted apart."""
    fitted: bool = False
    """Whether it is fitted inside each fold."""


class Titles(Settings):
    """Tasks and encoders, in the order of the tables."""

    tasks: dict[str, TaskTitle]
    models: dict[str, ModelTitle]

    def as_json(self) -> str:
        """The text by which a job receives it, with keys unsorted: their order is that of the tables."""
        return self.model_dump_json(exclude_none=True)


class ComparedTasks(Titles):
    """What is compared, and how."""

    sources: dict[str, Text]
    """Task → what it has in common with others, e.g. its dataset."""
    statistics: ComparisonStatistics


class ComparedProtocol(Titles):
    """A protocol whose effects are measured."""

    protocol: Text
    protocol_title: str
