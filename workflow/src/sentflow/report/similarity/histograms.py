"""Similarities by gold score: a column per encoder, a line per pair set, a shape per range of gold scores."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report import canvas
from sentflow.report.numbers import MISSING
from sentflow.report.rows import unique
from sentflow.report.similarity import figure_texts, words
from sentflow.report.similarity.figure_texts import MAX_HISTOGRAM_MODELS, MAX_HISTOGRAM_SETS
from sentflow.report.similarity.rows import HistogramRow

_PANEL_INCHES = 1.35
_OVERLAP = 1.6  # how far a shape may reach into the next one, in lines


def draw(rows: Sequence[HistogramRow]) -> Figure:
    """Shapes as densities, the lowest range of gold scores at the bottom."""
    texts = figure_texts.similarity_histograms(rows)
    if not rows:
        return canvas.nothing(texts, rows)
    models = unique(row.model for row in rows)[:MAX_HISTOGRAM_MODELS]
    sets = unique(row.pairs for row in rows)[:MAX_HISTOGRAM_SETS]
    width = min(canvas.PAGE_WIDTH, 1.2 + 1.9 * len(models))
    figure = Figure(figsize=(width, _PANEL_INCHES * len(sets) + 0.25))
    panels = figure.subplots(len(sets), len(models), squeeze=False, sharex="col")
    for line, pairs in enumerate(sets):
        for column, model in enumerate(models):
            axes = panels[line, column]
            members = [row for row in rows if (row.pairs, row.model) == (pairs, model)]
            if not members:
                axes.set_visible(False)
                continue
            _draw_panel(axes, members, names=column == 0)
            if line == len(sets) - 1:
                axes.set_xlabel(words.MEASURES[members[0].measure])
            if line == 0:
                title = canvas.two_lines(canvas.shorten(members[0].model_title, 34))
                axes.annotate(
                    title, (0.5, 1), xytext=(0, 12), xycoords="axes fraction", textcoords="offset points",
                    ha="center", va="bottom", fontweight="bold", color=canvas.INK,
                )  # fmt: skip
    canvas.frame(figure, texts, rows)
    return figure


def _draw_panel(axes: Axes, rows: Sequence[HistogramRow], *, names: bool) -> None:
    bins = sorted({(row.gold_low, row.gold_high) for row in rows})
    densities = []
    for bounds in bins:
        members = sorted((r for r in rows if (r.gold_low, r.gold_high) == bounds), key=lambda r: r.low)
        edges = np.array([members[0].low, *(row.high for row in members)])
        counts = np.array([row.count for row in members], dtype=float)
        total = counts.sum()
        densities.append((members, edges, counts / (total * np.diff(edges)) if total else counts))
    highest = max(float(density.max()) for *_, density in densities) or 1.0
    scale = colormaps["cividis"]
    # from the top down, so that a lower shape lies before the one that it reaches into
    for place in range(len(bins) - 1, -1, -1):
        members, edges, density = densities[place]
        color = scale(0.92 - 0.85 * place / max(1, len(bins) - 1))
        shape = place + _OVERLAP * density / highest
        if members[0].n_gold:
            axes.stairs(
                shape,
                edges,
                baseline=place,
                fill=True,
                color=color,
                alpha=0.85,
                zorder=2 * (len(bins) - place),
            )
            axes.stairs(
                shape,
                edges,
                baseline=place,
                color=canvas.INK,
                linewidth=0.4,
                zorder=2 * (len(bins) - place) + 1,
            )
            axes.plot(
                [members[0].median] * 2, [place, place + 0.55], color="white", linewidth=2.0, zorder=30,
            )  # fmt: skip
            axes.plot(
                [members[0].median] * 2, [place, place + 0.55], color="#B3400A", linewidth=1.1, zorder=31
            )
        axes.axhline(place, color=canvas.QUIET, linewidth=0.3, zorder=0)
    axes.set_ylim(-0.08, len(bins) - 1 + _OVERLAP + 0.1)
    labels = [f"{low:g}–{high:g}" for low, high in bins]
    axes.set_yticks(range(len(bins)), labels if names else [""] * len(bins))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    first = rows[0]
    if names:
        axes.set_ylabel("gold score")
    known = MISSING if first.value != first.value else words.hundred(first.value)
    said = f"{canvas.shorten(first.pairs, 22)}  {known}" if names else known
    axes.set_title(said, loc="left", fontsize=6.5, color=canvas.INK, pad=2)
