"""What rows of summaries have in common: they say what data they are of."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

SAMPLE_DATA = "sample data"


class DataRow(Protocol):
    """Whatever says what data it was made from."""

    @property
    def data_version(self) -> str:
        """What the texts are."""


@dataclass(frozen=True)
class MeasuredRow:
    """What the rows of all summaries of scores say: which encoder was measured, on what data."""

    model: str
    model_title: str
    is_control: bool
    data_version: str
    is_baseline: bool = False


def unique(values: Iterable[str]) -> list[str]:
    """Distinct values in the order of their first appearance."""
    return list(dict.fromkeys(values))


def data_versions(rows: Iterable[DataRow]) -> list[str]:
    """Distinct data versions of the rows, in order of appearance; a row over several tasks joins theirs by ``; ``."""
    return unique(version for row in rows for version in row.data_version.split("; "))


def is_sample(version: str) -> bool:
    """Whether a data version says that the texts are made up, also as one of several versions."""
    return SAMPLE_DATA in version
