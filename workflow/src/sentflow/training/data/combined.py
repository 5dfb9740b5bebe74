"""Training data that are put together of others, relation by relation: what an entry names, and what it may not say.

Standard library only: the Snakefile reads it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

Entry = Mapping[str, Any]
SECTIONS = ("tasks", "pair_sets", "question_sets")
"""What may be held out."""
NEAR = 0.8
"""Similarity from which rows are near copies where an entry does not say it; that of the audits."""
UNKNOWN_LANGUAGE = "und"
"""Language of texts that no language is told of."""


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


def _map(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}
