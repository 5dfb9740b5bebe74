"""What the jobs read that make tables of training data.

No digest of code holds this module, for all that it says reaches jobs as their params. The Snakefile imports it:
standard library and pydantic only.
"""

from collections.abc import Mapping
from typing import Any

from sentflow.config.model import Count, Maybe, Number, Pair, Settings, Several, Text
from sentflow.config.pairs import Reader as PairReader
from sentflow.config.trainings import Form, Negatives, Neighbours, Reader, RowChoice
from sentflow.training.data.forms import PAIRS, SPANS, TEXTS, TRIPLETS


class Source(Settings):
    """Files of one dataset, and how to read them."""

    dataset: Text
    where: Text
    """Place of the reader, for messages."""
    rows: Maybe[Reader] = None
    pairs: Maybe[PairReader] = None


class RowSettings(RowChoice):
    """What a table depends on, wherever its rows are from."""

    form: Form


class PreparedRows(RowSettings):
    """What a table of rows of files depends on."""

    sources: Several[Source]
    unscored: bool = False
    """Whether pairs that nobody scored are taken, too."""


class CollectedRows(RowSettings):
    """What a table of documents and questions depends on."""

    split: Maybe[Text] = None
    """Regular expression of what lies between two spans of a document."""
    neighbours: bool | Neighbours = False


class MinedNegatives(Negatives):
    """Which documents become negatives."""

    retriever: str = ""
    scored_ranks: Count | None = None
    """Last rank with a score of the retriever's own, where scores are kept; null is all."""


class MinedRows(RowSettings):
    """What a table of questions and documents depends on."""

    negatives: MinedNegatives = MinedNegatives()
    pseudo_margin: Number | None = None
    """Difference of the two best scores from which the first document is relevant; null where judgements say it."""


class RowChecks(Settings):
    """What is checked on the way, and changes no byte of a table."""

    rows: Maybe[Count] = None
    """Number of rows that there must be."""
    files: Mapping[str, Mapping[str, Any]] = {}
    """Dataset → name → catalog entry of raw files: what has a checksum there is verified again before it is read."""


class HeldOutTests(Settings):
    """The tables of tests that training data are compared with."""

    tests: Several[Pair[Text]]


class CleanedPairs(HeldOutTests):
    """Which pairs of a relation may be trained on."""

    language: Maybe[Text] = None
    """That both texts must be in; any where it is not known."""


class AuditedData(HeldOutTests):
    """What training data are compared with, and what is said of them."""

    declared: bool
    """Whether test texts are said to be there."""


def are_taken_by_row(form: str, nli: str | None, shuffled_positives: int | None) -> bool:
    """Whether rows are taken as they stand, so that a part of them can be prepared without the others."""
    return form in (TEXTS, PAIRS, TRIPLETS, SPANS) and nli is None and shuffled_positives is None
