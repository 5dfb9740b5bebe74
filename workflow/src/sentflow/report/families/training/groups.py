"""Groups of trainings in figures: their order and colours."""

from collections.abc import Sequence
from typing import Any, Protocol

from sentflow.report.figure import canvas
from sentflow.report.rows import unique


class GroupedRow(Protocol):
    """What a row says of its group."""

    @property
    def group(self) -> str: ...
    @property
    def is_control(self) -> bool: ...


class DrawnRow(GroupedRow, Protocol):
    """The same of a row of a figure."""

    @property
    def position(self) -> int: ...


def places(rows: Sequence[GroupedRow]) -> dict[str, dict[str, Any]]:
    """Group → its place among the groups, or among the controls, in the order of the rows."""
    found: dict[str, dict[str, Any]] = {}
    counts = {False: 0, True: 0}
    for row in rows:
        if row.group not in found:
            found[row.group] = {
                "group": row.group,
                "position": counts[row.is_control],
                "is_control": row.is_control,
            }
            counts[row.is_control] += 1
    return found


def looks(rows: Sequence[DrawnRow]) -> dict[str, canvas.Look]:
    """Colour and marker of each group; controls are grey."""
    return canvas.looks([canvas.Drawn(row.group, row.position, row.is_control) for row in rows])


def of_group(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """The rows of each group, in the order of first appearance."""
    return {name: [row for row in rows if row.group == name] for name in unique(row.group for row in rows)}
