"""The spectrum of the embeddings: share of variance by principal direction, and how it adds up."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.families.geometry.rows import SpectrumRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import NOTHING, Caption, Recipe, encoders, nothing, sentences
from sentflow.report.rows import data_note, unique

_LEAST_SHARE = 1e-7  # below it, what is drawn is rounding


def draw(rows: Sequence[SpectrumRow]) -> Figure:
    """A line of two panels for each family of sentences."""
    if not rows:
        return nothing_drawn(NOTHING, rows)
    families, looks = unique(row.family for row in rows), canvas.looks(rows)

    def draw_half(key: tuple[str, bool], axes: Axes) -> None:
        family, is_sum = key
        members = [row for row in rows if row.family == family]
        (_draw_sums if is_sum else _draw_shares)(axes, members, looks)
        if family == families[-1]:
            axes.set_xlabel(
                "principal directions, share of all dimensions" if is_sum else "principal direction"
            )

    headings = {(family, is_sum): "" if is_sum else family for family in families for is_sum in (False, True)}
    entries = [
        Line2D([], [], color=looks[model].color, linestyle=_dashes(looks[model]), label=title)
        for model, title in {row.model: row.model_title for row in rows}.items()
    ]
    return panels(
        headings, draw_half, rows=rows, columns=2, heights=[1.55], width=(2.0, 4.0), share=(False, False),
        legend=entries,
    )  # fmt: skip


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
