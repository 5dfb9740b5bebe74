"""A model entry of the catalog: which of its keys each rule reads, and which rules it needs.

Standard library only: the Snakefile imports this module in every job.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sentflow.encoders.kinds.custom_class import EMBED, own_files, read_class
from sentflow.encoders.kinds.table import (
    API,
    CONNECTION_KEYS,
    CUSTOM,
    DENSE,
    DESCRIPTIVE_KEYS,
    FETCH_KEYS,
    FITTED,
    KINDS,
    OTHER_KEYS,
    OWN,
    PAIRS,
    PLACE_KEYS,
    TERM_VECTORS,
    TERMS,
    TERMS_OF,
    TRAINED,
    TRAINED_KINDS,
    Kind,
)
from sentflow.encoders.prompts import narrowed
from sentflow.encoders.roles import TEXT

# Keys that do not decide the vectors of a text, beside the manifest
_ELSEWHERE = FETCH_KEYS | CONNECTION_KEYS | PLACE_KEYS | DESCRIPTIVE_KEYS | OTHER_KEYS


def kind_of(entry: Mapping[str, Any]) -> Kind:
    """The kind of an entry of a known kind; of a trained encoder, what its recipe makes."""
    kind = KINDS[entry["kind"]]
    return TRAINED_KINDS.get(str(entry.get("recipe")), kind) if kind.name == TRAINED else kind


def is_lazy(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder is fitted inside each fold, so that it has no embeddings file."""
    if entry["kind"] == CUSTOM:
        return read_class(entry["custom"]).lazy
    return kind_of(entry).gives == FITTED


def gives_vectors(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder gives a text one dense vector, whatever it is used for."""
    dense = kind_of(entry).gives in (DENSE, OWN)
    return dense and not is_lazy(entry) and not is_featuriser(entry)


def compares_pairs(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder gives a number for two texts, and no vector of one."""
    return kind_of(entry).gives == PAIRS


def weighs_terms(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder gives weights of terms, and no dense vector."""
    return kind_of(entry).weighs_terms


def has_term_vectors(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder gives a vector for each term that it weighs."""
    return kind_of(entry).gives == TERM_VECTORS


def is_featuriser(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder makes the features of all rows of a task itself, before the folds."""
    if entry["kind"] != CUSTOM:
        return False
    found = read_class(entry["custom"])
    return found.level == EMBED and not found.lazy


def custom_files(entry: Mapping[str, Any]) -> list[str]:
    """Files of an own encoder: its code, what that imports beside it, and what ``files`` names; else none."""
    return own_files(entry) if entry["kind"] == CUSTOM else []


def fetch_settings(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a model entry that rule fetch_model reads."""
    return _picked(entry, FETCH_KEYS)


def encode_settings(
    entry: Mapping[str, Any], *, roles: Sequence[str] = (TEXT,), task: str | None = None
) -> dict[str, Any]:
    """The keys of a model entry that decide its vectors, beside the manifest.

    `roles`, `task`: of the texts: prompts and numbers of terms that they cannot meet are left out, so that an edit
    there runs nothing again.
    """
    settings = narrowed(_picked(entry, entry.keys() - _ELSEWHERE), roles=roles, task=task)
    terms = settings.pop(TERMS, {})
    own = {name: terms[name] for role in roles if (name := TERMS_OF.get(role)) in terms}
    return settings | ({TERMS: own} if own else {})


def connection_settings(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a model entry that say how its service is reached; empty for most kinds."""
    return _picked(entry, CONNECTION_KEYS) if entry["kind"] == API else {}


def place_settings(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a model entry that say where its vectors are computed; empty for most kinds."""
    return _picked(entry, PLACE_KEYS)


def call_seconds(entry: Mapping[str, Any]) -> int:
    """Whole seconds that a call of a user's own class may take; 0 is no limit."""
    return math.ceil(entry.get("timeout_seconds", 0)) if entry["kind"] == CUSTOM else 0


def _picked(entry: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: entry[key] for key in sorted(keys) if key in entry}
