"""Which files and names an entry of training data needs. Read by the Snakefile: nothing heavy here."""

from collections.abc import Iterable, Mapping
from typing import Any

Entry = Mapping[str, Any]
SEARCHING = NEGATIVES, PSEUDO_LABELS = ("negatives", "pseudo_labels")
"""Keys of an entry that name a retriever."""
SECTIONS = ("tasks", "pair_sets", "question_sets")
"""What may be held out."""
NEAR = 0.8
"""Similarity from which rows are near copies where an entry does not say it; that of the audits."""
UNKNOWN_LANGUAGE = "und"
"""Language of texts that no language is told of."""


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


def is_combined(entry: Entry) -> bool:
    """Whether the rows are those of other training data."""
    return "combined" in entry


def relations_of(entry: Entry) -> list[str]:
    """The training data whose rows are taken, in order."""
    found = _map(entry.get("combined")).get("data")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def held_out_of(entry: Entry) -> list[tuple[str, str]]:
    """Section and name of everything whose texts are in no row."""
    found = _map(_map(entry.get("combined")).get("without_texts_of"))
    return [
        (section, name)
        for section in SECTIONS
        for name in (found.get(section) or [])
        if isinstance(name, str)
    ]


def with_relations(names: Iterable[str], known: Mapping[str, Any]) -> list[str]:
    """Training data, and after them those that they are put together of; each once, as far as they exist."""
    named = list(names)
    parts = [part for name in named for part in relations_of(_map(known.get(name))) if part in known]
    return list(dict.fromkeys([*named, *parts]))
