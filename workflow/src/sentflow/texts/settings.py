"""What the tables of tasks, pair sets, corpora and question sets depend on, and what is checked on the way.

The Snakefile imports it: standard library and pydantic only.
"""

from typing import Any, Literal

from sentflow.config import pairs
from sentflow.config.collections import Part
from sentflow.config.collections import Source as SourceEntry
from sentflow.config.model import (
    Count,
    Folds,
    Int,
    Maybe,
    Number,
    Pair,
    Repetitions,
    Seed,
    Settings,
    Several,
    Text,
)
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


class Checks(Settings):
    """What is checked, and changes no byte."""

    rows: Maybe[Count] = None
    """Number of documents, or of questions."""
    judged: Maybe[Count] = None
    """Number of judgements."""
    files: dict[str, dict[str, Any]] = {}
    """Raw file → its entry in the catalog: what has a checksum there is verified again before it is read."""


NOTHING = Checks()


class CorpusSettings(Settings):
    """What the table of a corpus depends on."""

    documents: Several[SourceEntry]
    data_version: Text
    language: Text
    ids: Literal["column", "distinct"] = "column"
    empty: Literal["refuse", "keep"] = "refuse"


class QuestionSettings(Settings):
    """What the tables of a question set depend on. A set without judgements can be searched, but not evaluated."""

    corpus: Text
    questions: Several[SourceEntry]
    judgements: Several[SourceEntry]
    data_version: Text
    language: Text
    relevant_grade: Count = 1
    ids: Literal["column", "rows", "distinct"] = "column"
    grades: dict[str, Int | None] = {}
    unknown: Literal["refuse", "leave-out"] = "refuse"
    unjudged: Literal["keep", "leave-out"] = "keep"
    without: Several[SourceEntry] = ()
    part: Maybe[Part] = None
    same_ids: Maybe[Literal["keep", "exclude"]] = None
    """None is keep, and the log says where questions are documents of their ids."""
