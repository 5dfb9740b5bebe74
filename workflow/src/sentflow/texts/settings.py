"""What is checked while tables of tasks, corpora and question sets are made, and changes no byte of them.

The Snakefile imports it: standard library and pydantic only.
"""

from sentflow.config.collections import JudgedCounts
from sentflow.config.datasets import Checks
from sentflow.config.model import Count, Folds, Maybe, Number, Repetitions, Seed, Settings
from sentflow.config.tasks import Metric


class DocumentFolds(Settings):
    """Folds that keep documents together, which are planned to say early where there are none."""

    repetitions: Repetitions
    folds: Folds
    seed: Seed
    needed: bool
    """Whether the experiment names a protocol that needs such folds."""


class TaskChecks(Checks):
    """What the table of a task must allow, see `check_folds`."""

    metric: Metric
    folds: Folds
    batch_rows: Count = 128
    evaluation_share: Number = 0.2
    small_parts: bool = False
    document_folds: Maybe[DocumentFolds] = None
    """Where rows name documents that are to be kept together."""


class CollectionChecks(Checks, JudgedCounts):
    """What is checked of the tables of corpora and question sets."""


NOTHING = CollectionChecks()
