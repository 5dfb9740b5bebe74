"""Marked cells of written Markdown tables, and whether the tests allow their marks: what checks of tables read."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sentflow.compare.differences import Difference, on_unit_set, other, values_of

_BOLD = re.compile(r"\*\*.+?\*\*")
_UNDERLINED = re.compile(r"<ins>.+?</ins>")
_RAISED = re.compile(r"<sup>.*?</sup>")


@dataclass(frozen=True)
class MarkedCell:
    """A bold or underlined cell as it is written, its line and its column by their headings without letters."""

    line: str
    heading: str
    text: str
    bold: bool

    def __str__(self) -> str:
        kind = "bold" if self.bold else "underlined"
        return f"{self.line} × {self.heading}: {self.text} is {kind}"

    def is_allowed(self, differences: Sequence[Difference], unit_set: str, model: str) -> bool:
        """Whether the tests themselves, not what was derived from them, allow the mark."""
        values = values_of(differences, unit_set)
        own = [row for row in on_unit_set(differences, unit_set) if model in (row.model_a, row.model_b)]
        if model not in values or not own:
            return False
        highest = max(values.values())
        if self.bold:
            return values[model] == highest
        return values[model] < highest and any(
            values.get(other(row, model)) == highest and row.p_holm > row.alpha for row in own
        )


def marked_cells(text: str) -> Iterator[MarkedCell]:
    """The marked cells of the first table of a Markdown text."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    if not lines:
        return
    header = [_RAISED.sub("", cell) for cell in _cells(lines[0])]
    for line in lines[2:]:
        cells = _cells(line)
        for heading, cell in zip(header, cells, strict=True):
            if _BOLD.search(cell) or _UNDERLINED.search(cell):
                yield MarkedCell(_RAISED.sub("", cells[0]), heading, cell, bool(_BOLD.search(cell)))


def _cells(line: str) -> list[str]:
    """The cells of a pipe table; an escaped pipe is no border."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
