"""Published sweeps: cells with a value, "?" or "-"."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sentflow.files.rows import row_from

AXES = ("start", "data", "method", "max_tokens", "learning_rate")


@dataclass(frozen=True)
class PublishedCell:
    """A training that others published."""

    section: str  # part of the source
    # start, data, method, max_tokens, learning_rate: where it stands in the grid; data empty and learning rate NaN
    # where they do not apply
    start: str
    data: str
    method: str
    max_tokens: int
    learning_rate: float
    # dev, test: Spearman's correlations in [-1, 1]; NaN without value
    dev: float
    test: float
    scores: str  # state of the two: `VALUE`, `NOT_RUN` or `NOT_APPLICABLE`
    # uniformity, alignment, geometry: likewise
    uniformity: float
    alignment: float
    geometry: str

    @property
    def place(self) -> tuple[Any, ...]:
        """Its values on `AXES`."""
        return tuple(getattr(self, axis) for axis in AXES)


def published_cells(entry: Mapping[str, Any]) -> list[PublishedCell]:
    """The cells of an entry of ``catalog/published_training.yaml``, whose null is an undefined number or no data."""
    return [row_from(PublishedCell, dict(zip(entry["columns"], row, strict=True))) for row in entry["rows"]]
