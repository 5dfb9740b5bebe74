"""A model entry of the catalog: which of its keys each rule reads, and which rules it needs.

The Snakefile imports this module in every job.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sentflow.config.model import fields_of
from sentflow.encoders.custom_class import EMBED, own_files, read_class
from sentflow.encoders.prompts import narrowed
from sentflow.encoders.settings import (
    CUSTOM,
    DENSE,
    FITTED,
    KINDS,
    OWN,
    PAIRS,
    SPARSE,
    TERM_VECTORS,
    TERMS_OF,
    TEXT,
    TRAINED,
    Connection,
    Described,
    fetched_keys,
    made_by,
)


def kind_of(entry: Mapping[str, Any]) -> type[Described]:
    """The model of an entry of a known kind; of a trained encoder, of what its recipe makes."""
    return KINDS[made_by(str(entry.get("recipe")))] if entry["kind"] == TRAINED else KINDS[entry["kind"]]


def is_lazy(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder is fitted inside each fold, so that it has no embeddings file."""
    if entry["kind"] == CUSTOM:
        return read_class(entry["custom"]).lazy
    return kind_of(entry).output == FITTED


def gives_vectors(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder gives a text one dense vector, whatever it is used for."""
    dense = kind_of(entry).output in (DENSE, OWN)
    return dense and not is_lazy(entry) and not is_featuriser(entry)


def compares_pairs(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder gives a number for two texts, and no vector of one."""
    return kind_of(entry).output == PAIRS


def weighs_terms(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder gives weights of terms, and no dense vector."""
    return kind_of(entry).output in (SPARSE, TERM_VECTORS)


def has_term_vectors(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder gives a vector for each term that it weighs."""
    return kind_of(entry).output == TERM_VECTORS


def is_featuriser(entry: Mapping[str, Any]) -> bool:
    """Whether an encoder makes the features of all rows of a task itself, before the folds."""
    if entry["kind"] != CUSTOM:
        return False
    own = read_class(entry["custom"])
    return own.level == EMBED and not own.lazy


def custom_files(entry: Mapping[str, Any]) -> list[str]:
    """Files of an own encoder: its code, what that imports beside it, and what ``files`` names; else none."""
    return own_files(entry) if entry["kind"] == CUSTOM else []


def fetch_settings(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a model entry that rule fetch_model reads."""
    return _picked(entry, fetched_keys(KINDS[entry["kind"]]))


def encode_settings(
    entry: Mapping[str, Any], *, roles: Sequence[str] = (TEXT,), task: str | None = None
) -> dict[str, Any]:
    """Every setting that decides the vectors of an entry, beside the manifest.

    `roles`, `task`: of the texts: prompts and numbers of terms that they cannot meet are left out, so that an edit
    there runs nothing again.
    """
    encoding = kind_of(entry).encoding
    picked = narrowed(_picked(entry, fields_of(encoding)), roles=roles, task=task)
    terms = picked.pop("terms", {})
    if own := {name: terms[name] for role in roles if (name := TERMS_OF.get(role)) in terms}:
        picked["terms"] = own
    return encoding.model_validate(picked).as_dict()


def connection_settings(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a model entry that say how its service is reached; empty for most kinds."""
    reached = issubclass(KINDS[entry["kind"]], Connection)
    return _picked(entry, Connection.model_fields.keys() - {"url"}) if reached else {}


def call_seconds(entry: Mapping[str, Any]) -> int:
    """Whole seconds that a call of a user's own class may take; 0 is no limit."""
    return math.ceil(entry.get("timeout_seconds", 0)) if entry["kind"] == CUSTOM else 0


def _picked(entry: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: entry[key] for key in sorted(keys) if key in entry}
