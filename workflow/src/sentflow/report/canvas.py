"""What all figures share: style file, colours of encoders, the stamp of sample data, saving."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import matplotlib as mpl
import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from sentflow.io import atomic
from sentflow.report.figure_texts import FigureTexts
from sentflow.report.rows import DataRow, data_versions, is_sample

PAGE_WIDTH = 7.2  # inches: the text of an A4 or letter page
STYLE = Path(__file__).with_name("sentflow.mplstyle")

INK = "#222222"
QUIET = "#777777"
STAMP_COLOR = "#B3400A"
_INCHES_PER_SIGN = 0.0435  # at the 6 points of the reading aid, a line of wide letters
_LINE_INCHES = 0.125
_LEGEND_INCHES = 0.16
_HEAD_INCHES = 0.3
_MARGIN_INCHES = 0.06
_CONTROL_GREYS = ("#6E6E6E", "#A9A9A9", "#3F3F3F")
# dates and program versions would make equal figures differ in bytes
_METADATA: dict[str, dict[str, None]] = {
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}


@dataclass(frozen=True)
class Look:
    """How one encoder is drawn in every figure."""

    color: str
    marker: str


class EncoderInRow(Protocol):
    """What a row says of its encoder."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def is_control(self) -> bool:
        """Whether it is a control."""


@dataclass(frozen=True)
class Legend:
    """Lines of a legend, and in how many columns they stand."""

    handles: list[Line2D]
    n_columns: int


@contextmanager
def style() -> Iterator[None]:
    """Draw under the project's style file, whatever the user's own settings are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        matplotlib.style.use(STYLE)
        yield


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format of its suffix; equal figures give equal bytes.

    Raises
    ------
    ValueError
        The suffix is none of ``.pdf``, ``.png``, ``.svg``.
    """
    form = path.suffix.removeprefix(".")
    if form not in _METADATA:
        raise ValueError(f"{path}: a figure ends in one of .{', .'.join(_METADATA)}")
    # where the style asks for a layout, None does not take it away
    with style(), mpl.rc_context({"figure.constrained_layout.use": False}), atomic(path) as part:
        _lay_out(figure)
        figure.savefig(part, format=form, metadata=_METADATA[form])


def _lay_out(figure: Figure) -> None:
    """Place everything once for all formats: with a layout engine, Matplotlib draws a figure twice per format."""
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.set_layout_engine(None)


def looks(rows: Sequence[EncoderInRow]) -> dict[str, Look]:
    """Colour and marker per model: controls grey and square, the others in colour and round.

    With more models than distinct colours, all colours are taken evenly from one scale.
    """
    control = {row.model: row.is_control for row in rows}
    encoders = [model for model, is_control in control.items() if not is_control]
    controls = [model for model, is_control in control.items() if is_control]
    cycle = [str(color) for color in mpl.rcParams["axes.prop_cycle"].by_key()["color"]]
    palette = [f"#{color.removeprefix('#')}" for color in cycle]
    if len(encoders) > len(palette):
        scale = mpl.colormaps["viridis"]
        palette = [
            mpl.colors.to_hex(scale(0.92 * index / (len(encoders) - 1))) for index in range(len(encoders))
        ]
    found = {model: Look(palette[index], "o") for index, model in enumerate(encoders)}
    for index, model in enumerate(controls):
        found[model] = Look(_CONTROL_GREYS[index % len(_CONTROL_GREYS)], "s")
    return {model: found[model] for model in control}


def shorten(text: str, limit: int) -> str:
    """Text of at most `limit` signs; a cut is shown by an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1].rstrip(" (,;|") + "…"


def two_lines(text: str) -> str:
    """A long text in two lines of about the same length; a short one, or one without spaces, as it is."""
    if len(text) <= 16 or " " not in text:
        return text
    spaces = [index for index, sign in enumerate(text) if sign == " "]
    middle = min(spaces, key=lambda index: abs(index - len(text) / 2))
    return f"{text[:middle]}\n{text[middle + 1 :]}"


def nothing(texts: FigureTexts, rows: Sequence[DataRow]) -> Figure:
    """A figure that only says why it shows nothing."""
    figure = Figure(figsize=(PAGE_WIDTH, 0.2))
    frame(figure, texts, rows)
    return figure


def frame(
    figure: Figure,
    texts: FigureTexts,
    rows: Sequence[DataRow],
    legend: Legend | None = None,
) -> None:
    """Add title, stamp of sample data, legend and reading aid; the figure grows by the room they need."""
    width, height = figure.get_size_inches()
    n_signs = int((width - 2 * _MARGIN_INCHES) / _INCHES_PER_SIGN)
    lines = textwrap.wrap(texts.reading, n_signs, break_on_hyphens=False)  # names of encoders stay whole
    n_legend_lines = math.ceil(len(legend.handles) / legend.n_columns) if legend else 0
    foot = _LINE_INCHES * len(lines) + _LEGEND_INCHES * n_legend_lines + _MARGIN_INCHES
    total = height + foot + _HEAD_INCHES
    figure.set_size_inches(width, total)
    layout = figure.get_layout_engine()
    assert isinstance(layout, ConstrainedLayoutEngine)
    layout.set(rect=(0.0, foot / total, 1.0, height / total))
    left = _MARGIN_INCHES / width
    figure.text(
        left,
        1 - 0.5 * _HEAD_INCHES / total,
        texts.title,
        va="center",
        fontsize=8,
        fontweight="bold",
        color=INK,
        in_layout=False,
    )
    _stamp(figure, rows, height=1 - 0.5 * _HEAD_INCHES / total)
    figure.text(
        left,
        0.5 * _MARGIN_INCHES / total,
        "\n".join(lines),
        va="bottom",
        fontsize=6,
        linespacing=1.4,
        color="#555555",
        in_layout=False,
    )
    if legend:
        drawn = figure.legend(
            handles=legend.handles,
            loc="upper left",
            bbox_to_anchor=(0.0, foot / total),
            ncols=legend.n_columns,
            borderaxespad=0.2,
        )
        drawn.set_in_layout(False)


def _stamp(figure: Figure, rows: Sequence[DataRow], *, height: float) -> None:
    versions = data_versions(rows)
    sample = [version for version in versions if is_sample(version)]
    if not sample:
        return
    words = "sample data" if len(sample) == len(versions) else "partly sample data"
    figure.text(
        1 - 0.08 / figure.get_figwidth(),
        height,
        words.upper(),
        ha="right",
        va="center",
        fontsize=7,
        fontweight="bold",
        color=STAMP_COLOR,
        in_layout=False,
        bbox={
            "boxstyle": "round,pad=0.3",
            "facecolor": "#FFF4EC",
            "edgecolor": STAMP_COLOR,
            "linewidth": 0.8,
        },
    )
