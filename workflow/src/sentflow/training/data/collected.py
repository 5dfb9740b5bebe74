"""Training data whose rows are those of corpora and question sets: what an entry names, and what it may not say.

Standard library only: the Snakefile reads it.
"""

from collections.abc import Mapping
from typing import Any

Entry = Mapping[str, Any]
SEARCHING = NEGATIVES, PSEUDO_LABELS = ("negatives", "pseudo_labels")
"""Keys of an entry that name a retriever."""


def is_collected(entry: Entry) -> bool:
    """Whether the rows are texts of corpora and question sets."""
    return "collections" in entry


def is_asked(entry: Entry) -> bool:
    """Whether the rows are questions with documents that were judged or found."""
    return "questions" in entry


def corpora_of(entry: Entry) -> list[str]:
    """The corpora whose documents are rows."""
    return _names(_map(entry.get("collections")).get("corpora"))


def question_sets_of(entry: Entry) -> list[str]:
    """The question sets whose questions are rows, or are the texts of rows."""
    return _names(entry.get("questions", _map(entry.get("collections")).get("question_sets")))


def held_out_sets(entry: Entry) -> list[str]:
    """The question sets whose judged documents are in no row."""
    return _names(entry.get("without_documents_of"))


def retriever_of(entry: Entry) -> str | None:
    """What finds the negatives; None where there are none, whatever else is wrong with the entry."""
    return _retriever(entry, NEGATIVES)


def labeller_of(entry: Entry) -> str | None:
    """The retriever whose first documents count as relevant; None where judgements say it."""
    return _retriever(entry, PSEUDO_LABELS)


def searchers_of(entry: Entry) -> list[str]:
    """Every retriever that searches the questions so that there are rows, each once."""
    return list(dict.fromkeys(name for key in SEARCHING if (name := _retriever(entry, key))))


def _retriever(entry: Entry, key: str) -> str | None:
    name = _map(entry.get(key)).get("retriever")
    return name if isinstance(name, str) else None


def _map(found: Any) -> Mapping[str, Any]:
    """What is a map; the schema says what is wrong with anything else, here and below."""
    return found if isinstance(found, Mapping) else {}


def _names(found: Any) -> list[str]:
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
