"""What entries of corpora and question sets say of their texts, and of what is checked on the way."""

from typing import Any, Literal

from sentflow.config.collections import Part
from sentflow.config.collections import Source as SourceEntry
from sentflow.config.model import Count, Int, Maybe, Settings, Several, Text


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
