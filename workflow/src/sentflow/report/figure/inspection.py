"""What is wrong with a figure once it is drawn: texts over one another or over the edge, panels without any room.

Texts are measured as they are written, one by one, so that nothing that a layout forgot is missed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure

from sentflow.report.figure import canvas

_DPI = 100
_SLACK = 0.6  # pixels by which boxes may touch: letters have some air around them
_EDGE = 1  # pixels by which a box may leave the figure
_LEAST_PANEL = 0.04  # inches; matplotlib gives what has no room a side of next to nothing


@dataclass(frozen=True)
class Box:
    """A line of text as a rectangle, turned by its angle."""

    text: str  # the line
    corners: np.ndarray  # (4, 2) float64, pixels from the lower left corner of the figure


@dataclass(frozen=True)
class Inspection:
    """What was found."""

    n_texts: int  # lines of text that were measured
    problems: list[str]  # one sentence each; empty for a figure that can be read


def inspect(figure: Figure) -> Inspection:
    """Measure a figure that is drawn; under the style of the project, for this measures letters again."""
    with canvas.style():
        found = boxes(figure)
    problems = [f"{one!r} and {other!r} cover each other" for one, other in overlapping(found)]
    problems += [f"{text!r} reaches over the edge" for text in clipped(figure, found)]
    problems += [
        f"a panel has collapsed to {width:.2f} × {height:.2f} inches" for width, height in flat(figure)
    ]
    return Inspection(len(found), problems)


def boxes(figure: Figure) -> list[Box]:
    """All lines of text of a figure."""
    before = figure.get_dpi()
    figure.set_dpi(_DPI)
    width, height = (float(inches) * _DPI for inches in figure.get_size_inches())
    recorder = _Recorder(width, height)
    figure.draw(recorder)
    figure.set_dpi(before)
    return recorder.found


def overlapping(found: Sequence[Box]) -> list[tuple[str, str]]:
    """Pairs of texts that cover each other in part."""
    if not found:
        return []
    low = np.array([box.corners.min(axis=0) for box in found])
    high = np.array([box.corners.max(axis=0) for box in found])
    pairs = []
    for index in range(len(found) - 1):
        near = np.all((low[index + 1 :] < high[index]) & (high[index + 1 :] > low[index]), axis=1)
        pairs += [
            (found[index].text, found[other].text)
            for other in (index + 1 + np.flatnonzero(near)).tolist()
            if _meet(found[index].corners, found[other].corners)
        ]
    return pairs


def clipped(figure: Figure, found: Sequence[Box]) -> list[str]:
    """Texts that reach over the edge of the figure."""
    size = np.array(figure.get_size_inches()) * _DPI
    return [box.text for box in found if (box.corners < -_EDGE).any() or (box.corners > size + _EDGE).any()]


def flat(figure: Figure) -> list[tuple[float, float]]:
    """Width and height, in inches, of panels that are only a line."""
    sizes = [
        axes.get_position().size * figure.get_size_inches() for axes in figure.axes if axes.get_visible()
    ]
    return [(float(width), float(height)) for width, height in sizes if min(width, height) < _LEAST_PANEL]


class _Recorder(RendererAgg):
    """Writes down the texts that are drawn, and draws nothing."""

    def __init__(self, width: float, height: float) -> None:
        super().__init__(1, 1, _DPI)  # type: ignore[no-untyped-call]
        self.found: list[Box] = []
        self._size = width, height
        self.height = height  # of what is drawn, from which matplotlib counts downwards

    def get_canvas_width_height(self) -> tuple[float, float]:
        """Pixels of the figure, and not of the picture that is not made."""
        return self._size

    def draw_text(  # type: ignore[override]
        self,
        _gc: Any,
        x: float,
        y: float,
        s: str,
        prop: Any,
        angle: float,
        ismath: Any = False,
        **_options: Any,
    ) -> None:
        """Where a line of text stands."""
        if not s.strip():
            return
        width, height, depth = self.get_text_width_height_descent(s, prop, ismath)  # type: ignore[no-untyped-call]
        turn = math.radians(angle)
        along = np.array([math.cos(turn), math.sin(turn)])
        up = np.array([-math.sin(turn), math.cos(turn)])
        start = np.array([x, self._size[1] - y])
        low, high = -depth + _SLACK, height - depth - _SLACK
        left, right = _SLACK, width - _SLACK
        corners = ((left, low), (right, low), (right, high), (left, high))
        self.found.append(Box(s, np.array([start + a * along + b * up for a, b in corners])))

    def draw_path(self, *_arguments: Any, **_options: Any) -> None:
        """Nothing."""

    draw_markers = draw_path_collection = draw_quad_mesh = draw_image = draw_gouraud_triangles = draw_path


def _meet(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two rectangles overlap: no side of either has them on its two sides."""
    for corners in (one, other):
        for side in (corners[1] - corners[0], corners[3] - corners[0]):
            here, there = one @ side, other @ side
            if here.max() <= there.min() or there.max() <= here.min():
                return False
    return True
