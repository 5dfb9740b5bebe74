"""Rows by protocol: no mean, rank or test is over tasks of several."""

from collections.abc import Iterable
from typing import Protocol, TypeVar


class OfAProtocol(Protocol):
    """Whatever says by which protocol it was made."""

    @property
    def protocol(self) -> str:
        """Its name."""


class OfATask(OfAProtocol, Protocol):
    """Whatever is of one task."""

    @property
    def task(self) -> str:
        """Its name."""


Row = TypeVar("Row", bound=OfAProtocol)


def by_protocol(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Protocol → its rows in their order; protocols in the order of their first row."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.protocol, []).append(row)
    return groups
