"""Correlations over encoders between measures of geometry and scores, with their intervals."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.families.similarity import figure_texts, words
from sentflow.report.families.similarity.rows import AssociationRow
from sentflow.report.figure import canvas, layout, lettering
from sentflow.report.rows import unique

_LINE_INCHES = 0.19
_SIZE, _LEAST_PANEL = 7, 1.6
_CLEAR, _UNCLEAR = "#0072B2", "#777777"


def draw(rows: Sequence[AssociationRow]) -> Figure:
    """A column per score, a line per measure; filled where the interval does not hold 0."""
    texts = figure_texts.geometry_and_scores(rows)
    if not rows:
        return layout.nothing(texts, rows)
    scores = unique(row.score for row in rows)
    families = unique(row.family for row in rows)
    measures = {family: unique(row.measure for row in rows if row.family == family) for family in families}
    heights = [_LINE_INCHES * (len(measures[family]) + 0.2) for family in families]
    figure = Figure()
    panels = figure.subplots(len(families), len(scores), squeeze=False, sharex=True, height_ratios=heights)
    for line, family in enumerate(families):
        for column, score in enumerate(scores):
            members = [row for row in rows if (row.family, row.score) == (family, score)]
            axes = panels[line, column]
            _draw_panel(axes, members, measures[family], names=column == 0)
            title = f"{family}: {members[0].score_title if members else ''}"
            lines = lettering.wrap(title, lettering.into(_LEAST_PANEL, _SIZE, bold=True))
            axes.set_title("\n".join(lines), loc="left", fontweight="bold", color=canvas.INK)
            if line == len(families) - 1:
                axes.set_xlabel("Spearman's correlation over encoders")
    layout.finish(figure, texts, rows, layout.Panels(heights, _LEAST_PANEL))
    return figure


def _draw_panel(axes: Axes, rows: Sequence[AssociationRow], measures: Sequence[str], *, names: bool) -> None:
    axes.axvline(0, color=canvas.QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.grid(axis="x")
    for row in rows:
        line = measures.index(row.measure)
        said = f"n = {row.n_models}"
        if math.isnan(row.correlation):
            said += ", undefined"
        else:
            clear = row.low > 0 or row.high < 0
            color = _CLEAR if clear else _UNCLEAR
            axes.plot((row.low, row.high), (line, line), color=color, linewidth=1.2)
            axes.plot(
                row.correlation, line, marker="o", markersize=4, markeredgecolor=color,
                markerfacecolor=color if clear else "white",
            )  # fmt: skip
        axes.annotate(
            said, (1, line), xytext=(8, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
            va="center", fontsize=6, color=canvas.QUIET,
        )  # fmt: skip
    labels = [words.geometry_name(measure) for measure in measures]
    axes.set_yticks(range(len(measures)), labels if names else [""] * len(measures))
    axes.set_ylim(len(measures) - 0.4, -0.6)
    axes.set_xlim(-1.05, 1.05)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
