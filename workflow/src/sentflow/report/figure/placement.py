"""Where labels of points stand: beside their points, and over no other label or point."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from matplotlib.axes import Axes

from sentflow.report.figure.canvas import INK, QUIET

_DISTANCES = (4, 7, 12, 18, 26, 36, 48, 62)  # points, from a point to its label
# right above first, as is usual; then around
_ANGLES = [math.radians(degrees) for degrees in (35, 145, -35, -145, 90, -90, 0, 180)]
_FAR = 12  # points, from which on a line has to lead from the point to its label
_RADIUS = 3.5  # points, of a marker


@dataclass(frozen=True)
class Place:
    """The lower left corner of a label, in points from its point."""

    # x, y: the corner
    x: float
    y: float
    distance: float  # from the point to the label
    is_readable: bool = True  # whether it covers no other label and leaves the panel nowhere


@dataclass(frozen=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: "_Box") -> float:
        """Common area."""
        across = min(self.right, other.right) - max(self.left, other.left)
        up = min(self.top, other.top) - max(self.bottom, other.bottom)
        return across * up if across > 0 and up > 0 else 0.0


def places(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    room: tuple[float, float],
) -> list[Place]:
    """A place for each label; where there is none left, the least bad one.

    `points`: in points (1/72 inch) from the lower left corner of the panel. `room`: width and height of the panel, in
    points, which labels do not leave.
    """
    markers = [_Box(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in points]
    taken: list[_Box] = []
    found: list[Place] = []
    for (x, y), (width, height) in zip(points, sizes, strict=True):
        least = math.inf
        for distance, angle in itertools.product(_DISTANCES, _ANGLES):
            candidate = _beside(angle, distance, width, height)
            left, bottom = x + candidate.x, y + candidate.y
            other = _Box(left, bottom, left + width, bottom + height)
            outside = max(0, -left) + max(0, -bottom)
            outside += max(0, other.right - room[0]) + max(0, other.top - room[1])
            # a label over another cannot be read; one over a marker can, at a pinch
            on_labels = math.fsum(other.overlap(label) for label in taken)
            on_markers = math.fsum(other.overlap(marker) for marker in markers)
            unreadable = on_labels + outside
            cost = 1000 * unreadable + on_markers
            if cost < least:
                least, place, box = cost, replace(candidate, is_readable=unreadable == 0), other
            if not cost:
                break
        found.append(place)
        if place.is_readable:
            taken.append(box)
    return found


def write(
    axes: Axes, label: str, point: tuple[float, float], place: Place, *, size: float, bold: bool = False
) -> None:
    """The label of a point; a thin line leads to one that is far away."""
    axes.annotate(
        label, point, xytext=(place.x, place.y), textcoords="offset points",
        ha="left", va="bottom", fontsize=size, fontweight="bold" if bold else "normal", color=INK, in_layout=False,
        arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2}
        if place.distance >= _FAR
        else None,
    )  # fmt: skip


def _beside(angle: float, distance: float, width: float, height: float) -> Place:
    """A label outside of the circle of that radius, in that direction."""
    across, up = math.cos(angle), math.sin(angle)
    x = distance * across - (0 if across > 0.1 else width if across < -0.1 else width / 2)
    y = distance * up - (0 if up > 0.1 else height if up < -0.1 else height / 2)
    return Place(x, y, distance)
