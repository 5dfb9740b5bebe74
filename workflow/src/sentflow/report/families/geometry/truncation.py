"""Scores of shortened vectors: a panel per pair set, a curve per encoder."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.families.geometry.rows import TruncationRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import handles, nothing_drawn, panels
from sentflow.report.figure.recipe import NOTHING, Caption, Recipe, encoders, nothing, sentences
from sentflow.report.rows import data_note, unique

_WIDTH = (1.3, 2.4)  # inches of a panel


def draw(rows: Sequence[TruncationRow]) -> Figure:
    """Dimensions on a logarithmic axis; the panels share their axes."""
    if not rows:
        return nothing_drawn(NOTHING, rows)
    sets, looks = unique(row.pairs for row in rows), canvas.looks(rows)

    def draw_set(name: str, axes: Axes) -> None:
        for model in unique(row.model for row in rows):
            own = [row for row in rows if (row.pairs, row.model) == (name, model)]
            members = sorted(own, key=lambda row: row.dimensions)
            axes.plot(
                [row.dimensions for row in members], [100 * row.spearman for row in members],
                color=looks[model].color, marker=looks[model].marker, markersize=2.8,
            )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.grid(True)
        canvas.few_ticks(axes.yaxis)
        tried = sorted({row.dimensions for row in rows}, reverse=True)
        canvas.spaced_ticks(axes.xaxis, tried, str, inches=_WIDTH[0])

    return panels(
        {name: name for name in sets}, draw_set, rows=rows, columns=4, heights=[1.15], width=_WIDTH,
        labels=("dimensions kept", "Spearman × 100"), legend=handles(rows, looks),
    )  # fmt: skip


def texts_of(rows: Sequence[TruncationRow]) -> Caption:
    """Texts of the truncation curves."""
    title = "Scores of shortened vectors"
    if not rows:
        return nothing(title)
    return Caption(
        title=title,
        reading=sentences(
            "Spearman's correlation × 100 if only the first dimensions of each vector are kept and "
            "normalised "
            "to length 1; the last point is the full vector. Most encoders were not trained for truncation.",
            data_note(rows),
        ),
        alternative=f"Curves of the similarity score by number of dimensions for {encoders(rows)} on "
        f"{', '.join(unique(row.pairs for row in rows))}.",
    )


FIGURE = Recipe(TruncationRow, draw, texts_of, may_be_empty=True)
