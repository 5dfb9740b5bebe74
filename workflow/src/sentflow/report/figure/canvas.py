"""What all figures share: style file, colours of encoders, saving."""

import colorsys
import io
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter, NullLocator

from sentflow.files.atomic import atomic
from sentflow.report.figure import lettering

PAGE_WIDTH = 7.2  # inches: the text of an A4 or letter page
STYLE = Path(__file__).with_name("sentflow.mplstyle")

INK = "#222222"
QUIET = "#777777"
_CONTROL_GREYS = ("#6E6E6E", "#A9A9A9", "#3F3F3F")
# after the colours of the style file these again, darker and lighter, each time with another marker
_SHADES = (0.0, -0.45, 0.5, -0.65, 0.3, -0.25, 0.65)
_MARKERS = ("o", "^", "D", "v", "P", "X", "*")
# dates and program versions would make equal figures differ in bytes
_METADATA: dict[str, dict[str, None]] = {
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}
_CANVASES = {"pdf": FigureCanvasPdf, "svg": FigureCanvasSVG}


@dataclass(frozen=True)
class Look:
    """How one encoder is drawn in every figure."""

    color: str
    marker: str


@dataclass(frozen=True)
class Drawn:
    """What is no encoder and is drawn like one: a series, a method, a set of questions; as rows of encoders."""

    model: str
    position: int
    is_control: bool = False


@contextmanager
def style() -> Iterator[None]:
    """Draw under the project's style file, whatever the user's own settings are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        matplotlib.style.use(STYLE)
        yield


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PDF or SVG by the suffix; equal figures give equal bytes."""
    form = path.suffix.removeprefix(".")
    with atomic(path) as part:
        part.write_bytes(written(_CANVASES[form](figure), form))


def written(canvas: FigureCanvasBase, form: str) -> bytes:
    """The figure of a canvas in the format of that; `savefig` would draw it twice."""
    figure, stream = canvas.figure, io.BytesIO()
    before = figure.get_dpi()
    with style():
        figure.set_dpi(float(mpl.rcParams["savefig.dpi"]))
        getattr(canvas, f"print_{form}")(stream, metadata=_METADATA[form])
    figure.set_dpi(before)
    return stream.getvalue()


def looks(rows: Sequence[Any]) -> dict[str, Look]:
    """Colour and marker per encoder, by its position in the selection: the same whichever rows a figure holds.

    `rows`: with `model`, `is_control`, and `position` among the encoders or the controls; -1 is not known: then that
    of the first appearance. Controls are grey and square.
    """
    found: dict[str, Look] = {}
    counts = {False: 0, True: 0}
    for row in rows:
        if row.model not in found:
            position = row.position if row.position >= 0 else counts[row.is_control]
            grey = _CONTROL_GREYS[position % len(_CONTROL_GREYS)]
            found[row.model] = Look(grey, "s") if row.is_control else _encoder(position)
            counts[row.is_control] += 1
    return found


def few_ticks(*axes: Axis, integer: bool = False) -> None:
    """At most five numbers on an axis, however long it is: a layout that changed them would not fit them any more."""
    for axis in axes:
        axis.set_major_locator(MaxNLocator(4, integer=integer, steps=[1, 2, 2.5, 5, 10]))


def spaced_ticks(
    axis: Axis, values: Sequence[float], written: Callable[[Any], str], *, inches: float
) -> None:
    """Some of the values on a logarithmic axis, the first for sure, as far as they stand side by side."""
    per_factor = inches / max(0.3, math.log(max(values) / min(values)))
    kept: list[float] = []
    for value in values:
        wide = lettering.width(f"{written(value)}  ", 6.5)
        if all(per_factor * abs(math.log(value / other)) >= wide for other in kept):
            kept.append(value)
    axis.set_ticks(kept, labels=[written(value) for value in kept])
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def bare_lines(axes: Axes) -> None:
    """A panel of lines that are named at the left, without an axis there."""
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def plain_numbers(*axes: Axis) -> None:
    """Numbers of a logarithmic axis without a formula: a dollar sign is one here (`text.parse_math` of the style)."""
    for axis in axes:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def _encoder(position: int) -> Look:
    cycle = [str(color) for color in mpl.rcParams["axes.prop_cycle"].by_key()["color"]]
    turn, place = divmod(position, len(cycle))
    color = f"#{cycle[place].removeprefix('#')}"
    return Look(_shaded(color, _SHADES[turn % len(_SHADES)]), _MARKERS[turn % len(_MARKERS)])


def _shaded(color: str, shade: float) -> str:
    """A darker colour (down to -1, black) or a lighter one (up to 1, white)."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*mpl.colors.to_rgb(color))
    lightness += shade * (lightness if shade < 0 else 1 - lightness)
    return mpl.colors.to_hex(colorsys.hls_to_rgb(hue, lightness, saturation)).upper()
