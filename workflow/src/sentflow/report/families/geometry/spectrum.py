"""The spectrum of the embeddings: share of variance by principal direction, and how it adds up."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.families.geometry.rows import SpectrumRow
from sentflow.report.figure import canvas, layout, lettering
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Caption, Recipe, encoders, nothing, sentences
from sentflow.report.rows import data_note, unique

_PANEL_INCHES, _LEAST_PANEL = 1.55, 2.0
_LEGEND_SIZE, _LEGEND_INCHES = 7, 2.8
_LEAST_SHARE = 1e-7  # below it, what is drawn is rounding


def draw(rows: Sequence[SpectrumRow]) -> Figure:
    """A line of two panels for each family of sentences."""
    texts = texts_of(rows)
    if not rows:
        return layout.nothing(texts, rows)
    families = unique(row.family for row in rows)
    figure = Figure()
    panels = figure.subplots(len(families), 2, squeeze=False)
    looks = canvas.looks(rows)
    for line, family in enumerate(families):
        members = [row for row in rows if row.family == family]
        _draw_shares(panels[line, 0], members, looks)
        _draw_sums(panels[line, 1], members, looks)
        panels[line, 0].set_title(family, loc="left", fontweight="bold", color=canvas.INK)
        if line == len(families) - 1:
            panels[line, 0].set_xlabel("principal direction")
            panels[line, 1].set_xlabel("principal directions, share of all dimensions")
    size = Panels([_PANEL_INCHES] * len(families), _LEAST_PANEL)
    layout.finish(figure, texts, rows, size, handles(rows, looks))
    return figure


def texts_of(rows: Sequence[SpectrumRow]) -> Caption:
    """Texts of the spectrum."""
    title = "Spectrum of the embeddings"
    if not rows:
        return nothing(title)
    return Caption(
        title=title,
        reading=sentences(
            "Left: share of the variance along each principal direction, the largest first. Right: share "
            "of all directions up to it; the dotted line is a space that uses all of its directions "
            "equally. A curve that falls fast means that few directions carry most of the differences "
            "between sentences.",
            data_note(rows),
        ),
        alternative=f"Curves of the share of variance by principal direction for {encoders(rows)} on "
        f"{', '.join(unique(row.family for row in rows))}.",
    )


def handles(rows: Sequence[SpectrumRow], looks: Mapping[str, canvas.Look]) -> list[Line2D]:
    """Lines of the legend."""
    titles = {row.model: row.model_title for row in rows}
    names = lettering.distinct(titles, lettering.into(_LEGEND_INCHES, _LEGEND_SIZE))
    return [
        Line2D([], [], color=look.color, linestyle=_dashes(look), label=names[model])
        for model, look in looks.items()
    ]


def _draw_shares(axes: Axes, rows: Sequence[SpectrumRow], looks: Mapping[str, canvas.Look]) -> None:
    for model, members in _by_model(rows).items():
        shown = [row for row in members if row.share > _LEAST_SHARE]
        look = looks[model]
        axes.plot(
            [row.component for row in shown],
            [row.share for row in shown],
            color=look.color,
            linestyle=_dashes(look),
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    canvas.plain_numbers(axes.xaxis, axes.yaxis)
    axes.set_ylabel("share of variance")
    axes.grid(True)


def _draw_sums(axes: Axes, rows: Sequence[SpectrumRow], looks: Mapping[str, canvas.Look]) -> None:
    axes.plot([0, 1], [0, 1], color=canvas.QUIET, linewidth=0.8, linestyle=(0, (1, 2)))
    for model, members in _by_model(rows).items():
        look = looks[model]
        axes.plot(
            [0, *(row.component / row.dimension for row in members)],
            [0, *(row.cumulative for row in members)],
            color=look.color,
            linestyle=_dashes(look),
        )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.03)
    axes.set_ylabel("cumulative share")
    axes.grid(True)


def _by_model(rows: Sequence[SpectrumRow]) -> dict[str, list[SpectrumRow]]:
    return {
        model: sorted((row for row in rows if row.model == model), key=lambda row: row.component)
        for model in unique(row.model for row in rows)
    }


def _dashes(look: canvas.Look) -> tuple[float, Sequence[float]] | None:
    # colour is not all: controls are dashed
    return (0, (3.0, 1.5)) if look.marker == "s" else None


FIGURE = Recipe(SpectrumRow, draw, texts_of, may_be_empty=True)
