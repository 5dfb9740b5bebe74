"""One line of a forest plot as inline SVG, in the colours of the page around it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sentflow.compare.score_rows import ScoreRow
from sentflow.report.numbers import decimal, interval

WIDTH, HEIGHT = 240, 18


@dataclass(frozen=True)
class Axis:
    """The range of scores that the width of a strip stands for."""

    low: float
    high: float

    @classmethod
    def around(cls, rows: Sequence[ScoreRow]) -> "Axis":
        """The range that holds chance and all generalisation intervals."""
        values = [
            value
            for row in rows
            for value in (*row.shown_generalisation, row.mean, 0.0)
            if not math.isnan(value)
        ]
        margin = 0.03 * (max(values) - min(values)) or 0.05
        return cls(min(values) - margin, max(values) + margin)

    def position(self, value: float) -> str:
        """Horizontal place of a value, as SVG wants it."""
        return f"{WIDTH * (value - self.low) / (self.high - self.low):.1f}"


def strip(row: ScoreRow, axis: Axis) -> Markup:
    """Score and both intervals as a small picture with a text alternative."""
    mean, zero = axis.position(row.mean), axis.position(0.0)
    middle = HEIGHT // 2
    parts = [f'<line class="chance" x1="{zero}" x2="{zero}" y1="0" y2="{HEIGHT}"/>']
    spoken = f"{decimal(row.mean)}, no interval"
    if not row.degenerate:
        spoken = f"{decimal(row.mean)}, interval {interval(*row.shown_generalisation)}"
        parts += [
            _bar("wide", axis, *row.shown_generalisation, middle),
            _bar("narrow", axis, *row.shown_repeatability, middle),
        ]
    parts.append(f'<circle class="score" cx="{mean}" cy="{middle}" r="3"/>')
    kind = "strip control" if row.is_control else "strip"
    # only numbers made above go in: nothing here comes from a user
    return Markup(
        f'<svg class="{kind}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{spoken}">'
        f"{''.join(parts)}</svg>"
    )


def _bar(kind: str, axis: Axis, low: float, high: float, middle: int) -> str:
    if math.isnan(low) or math.isnan(high):
        return ""
    left, right = axis.position(low), axis.position(high)
    return f'<line class="{kind}" x1="{left}" x2="{right}" y1="{middle}" y2="{middle}"/>'
