"""Published sweeps: cells with a value, "?" or "-", as data, as text and back."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from sentflow.files.rows import row_from
from sentflow.training.cell_states import NOT_APPLICABLE, NOT_RUN, VALUE

AXES = ("start", "data", "method", "max_tokens", "learning_rate")


@dataclass(frozen=True)
class PublishedCell:
    """A training that others published.

    Attributes
    ----------
    section
        Part of the source.
    start, data, method, max_tokens, learning_rate
        Where it stands in the grid; data empty and learning rate NaN where they do not apply.
    dev, test
        Spearman's correlations in [-1, 1]; NaN without value.
    scores
        State of the two: `VALUE`, `NOT_RUN` or `NOT_APPLICABLE`.
    uniformity, alignment, geometry
        Likewise.
    """

    section: str
    start: str
    data: str
    method: str
    max_tokens: int
    learning_rate: float
    dev: float
    test: float
    scores: str
    uniformity: float
    alignment: float
    geometry: str

    @property
    def place(self) -> tuple[Any, ...]:
        """Its values on `AXES`."""
        return tuple(getattr(self, axis) for axis in AXES)


_STATE_OF = {"dev": "scores", "test": "scores", "uniformity": "geometry", "alignment": "geometry"}
_NUMBERS = {"max_tokens": int, "learning_rate": float, **dict.fromkeys(_STATE_OF, float)}
PRINTED = tuple(field.name for field in fields(PublishedCell) if field.name not in ("scores", "geometry"))


def published_cells(entry: Mapping[str, Any]) -> list[PublishedCell]:
    """The cells of an entry of ``catalog/published_training.yaml``, whose null is an undefined number or no data."""
    return [row_from(PublishedCell, dict(zip(entry["columns"], row, strict=True))) for row in entry["rows"]]


def as_texts(cell: PublishedCell) -> tuple[str, ...]:
    """What is printed in the columns `PRINTED`."""
    return tuple(_text(cell, column) for column in PRINTED)


def from_texts(texts: Iterable[str]) -> PublishedCell:
    """The cell that `as_texts` printed."""
    values: dict[str, Any] = {}
    for column, text in zip(PRINTED, texts, strict=True):
        empty = text in (NOT_RUN, NOT_APPLICABLE)
        number = _NUMBERS.get(column)
        values[column] = (math.nan if number else "") if empty else number(text) if number else text
        if column in _STATE_OF:
            values[_STATE_OF[column]] = text if empty else VALUE
    return PublishedCell(**values)


def _text(cell: PublishedCell, column: str) -> str:
    value = getattr(cell, column)
    if value == "" or value != value:
        # an axis without value does not apply
        return str(getattr(cell, _STATE_OF[column])) if column in _STATE_OF else NOT_APPLICABLE
    return str(value)
