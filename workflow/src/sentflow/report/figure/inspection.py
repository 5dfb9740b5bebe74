"""What is wrong with a figure once it is drawn: texts over one another or over the edge, panels without any room.

Texts are measured as they are written, one by one, so that nothing that a layout forgot is missed.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure

from sentflow.report.figure import canvas

_SLACK = 0.006  # inches by which boxes may touch: letters have some air around them
_EDGE = 0.01  # inches by which a box may leave the figure
_LEAST_PANEL = 0.04  # inches; matplotlib gives what has no room a side of next to nothing

Box = tuple[str, np.ndarray]  # a line of text, and its corners: (4, 2) float64, inches from the lower left


@dataclass(frozen=True)
class Inspection:
    """What was found."""

    n_texts: int  # lines of text that were measured
    problems: list[str]  # one sentence each; empty for a figure that can be read
    picture: bytes = field(repr=False)  # the figure as PNG, in which the texts were measured


def inspect(figure: Figure) -> Inspection:
    """Draw a figure as PNG, and measure what is written in it."""
    recorder = _Recorder(figure)
    picture = canvas.written(recorder, "png")
    size = np.array(figure.get_size_inches())
    problems = [f"{one!r} and {other!r} cover each other" for one, other in _overlapping(recorder.texts)]
    for text, corners in recorder.texts:
        if (corners < -_EDGE).any() or (corners > size + _EDGE).any():
            problems.append(f"{text!r} reaches over the edge")
    for axes in figure.axes:
        width, height = axes.get_position().size * size
        if axes.get_visible() and min(width, height) < _LEAST_PANEL:
            problems.append(f"a panel has collapsed to {width:.2f} × {height:.2f} inches")
    return Inspection(len(recorder.texts), problems, picture)


def _overlapping(boxes: list[Box]) -> Iterator[tuple[str, str]]:
    """Pairs of texts that cover each other in part."""
    low = np.array([corners.min(axis=0) for _, corners in boxes])
    high = np.array([corners.max(axis=0) for _, corners in boxes])
    for index, (text, corners) in enumerate(boxes):
        near = np.all((low[index + 1 :] < high[index]) & (high[index + 1 :] > low[index]), axis=1)
        for other, others_corners in (boxes[index + 1 + place] for place in np.flatnonzero(near)):
            if _meet(corners, others_corners):
                yield text, other


def _meet(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two rectangles overlap: no side of either has them on its two sides."""
    for corners in (one, other):
        for side in (corners[1] - corners[0], corners[3] - corners[0]):
            here, there = one @ side, other @ side
            if here.max() <= there.min() or there.max() <= here.min():
                return False
    return True


class _Recorder(FigureCanvasAgg):
    """Draws as ever, and writes down the texts."""

    def __init__(self, figure: Figure) -> None:
        super().__init__(figure)
        self.texts: list[Box] = []

    def get_renderer(self) -> RendererAgg:
        return _Renderer(self.figure, self.texts)


class _Renderer(RendererAgg):
    def __init__(self, figure: Figure, texts: list[Box]) -> None:
        super().__init__(*figure.bbox.size, figure.dpi)  # type: ignore[no-untyped-call]
        self._texts = texts

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, *rest: Any, **more: Any
    ) -> None:
        super().draw_text(gc, x, y, s, prop, angle, *rest, **more)  # type: ignore[no-untyped-call]
        if not s.strip():
            return
        size = self.get_text_width_height_descent(s, prop, ismath=False)  # type: ignore[no-untyped-call]
        width, height, depth = (inches / self.dpi for inches in size)
        turn = math.radians(angle)
        along = np.array([math.cos(turn), math.sin(turn)])
        up = np.array([-math.sin(turn), math.cos(turn)])
        start = np.array([x, self.height - y]) / self.dpi
        low, high = -depth + _SLACK, height - depth - _SLACK
        left, right = _SLACK, width - _SLACK
        corners = ((left, low), (right, low), (right, high), (left, high))
        self._texts.append((s, np.array([start + a * along + b * up for a, b in corners])))
