"""What the tables of tasks and pair sets depend on, and what is checked on the way.

The Snakefile imports it: standard library and pydantic only.
"""

from typing import Any, Literal

from sentflow.config import pairs
from sentflow.config.model import Count, Folds, Int, Maybe, Number, Pair, Repetitions, Seed, Settings, Text
from sentflow.config.tasks import Class, Layout, Metric, Reader


class TaskSettings(Settings):
    """What the table of a task depends on."""

    reader: Reader
    layout: Layout
    data_version: Text
    rows: Maybe[Count] = None
    """Number of rows that the file must have."""
    class_counts: Maybe[dict[Class, Int]] = None
    """Class → number of rows that it must have."""
    documents: Maybe[Literal["texts"]] = None
    """texts counts rows that share a text, directly or through others, as rows of one document."""


class DocumentFolds(Settings):
    """Folds that keep documents together, which are planned to say early where there are none."""

    repetitions: Repetitions
    folds: Folds
    seed: Seed
    needed: bool
    """Whether the experiment names a protocol that needs such folds."""


class TaskChecks(Settings):
    """What the table of a task must allow; it changes no byte."""

    metric: Metric
    folds: Folds
    batch_rows: Count = 128
    """Rows of a training step, see `check_folds`, as the next two."""
    evaluation_share: Number = 0.2
    """Share of the rows outside the test part that is not trained on."""
    small_parts: bool = False
    """Whether a training part may be smaller than a batch."""
    document_folds: Maybe[DocumentFolds] = None
    """Where rows name documents that are to be kept together."""
    files: dict[str, dict[str, Any]] = {}
    """Raw file → its entry in the catalog: what has a checksum there is verified again before it is read."""


class PairSettings(Settings):
    """What the table of a pair set depends on."""

    reader: pairs.Reader
    data_version: Text
    language: Text
    scale: Pair[Number]
    """Least and greatest score that a pair can have."""


class PairChecks(Settings):
    """What is checked of a pair set, and changes no byte."""

    rows: Maybe[Count] = None
    """Number of scored pairs."""
    subset_rows: Maybe[dict[str, Count]] = None
    """Sub-source → number of scored pairs."""
    files: dict[str, dict[str, Any]] = {}
    """As those of `TaskChecks`."""
