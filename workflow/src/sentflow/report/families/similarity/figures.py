"""Similarities by gold score: a column per encoder, a line per pair set, a shape per range of gold scores."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import HistogramRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import left_out, panels
from sentflow.report.figure.recipe import NOTHING, Recipe
from sentflow.report.rows import grouped, unique

_OVERLAP = 1.6  # how far a shape may reach into the next one, in lines
# encoders and pair sets of a figure; with more it would not fit a page
_MOST_MODELS, _MOST_SETS = 5, 4


def _draw(rows: Sequence[HistogramRow]) -> Figure:
    titles, members = {row.model: row.model_title for row in rows}, grouped(rows, "pairs", "model")
    models, sets = list(titles)[:_MOST_MODELS], unique(row.pairs for row in rows)[:_MOST_SETS]
    headings = {(name, model): titles[model] if name == sets[0] else "" for name in sets for model in models}

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        if key in members:
            _draw_panel(axes, members[key], is_first=key[1] == models[0])
        else:
            axes.set_visible(False)

    return panels(
        headings, draw_panel, rows=rows, columns=len(models), heights=[1.05], width=(1.1, 1.9),
        share=("col", False), labels=(words.MEASURES[rows[0].measure], ""),
        subtitles={key: f"{key[0]}  {words.hundred(members[key][0].value)}" for key in headings if key in members},
    )  # fmt: skip


def _draw_panel(axes: Axes, rows: Sequence[HistogramRow], *, is_first: bool) -> None:
    shapes = []
    for _, members in sorted(grouped(rows, "gold_low", "gold_high").items()):
        own = sorted(members, key=lambda row: row.low)
        edges = np.array([own[0].low, *(row.high for row in own)])
        counts = np.array([row.count for row in own], dtype=float)
        shapes.append((own[0], edges, counts / (counts.sum() * np.diff(edges)) if counts.sum() else counts))
    highest = max(float(density.max()) for *_, density in shapes) or 1.0
    # from the top down, so that a lower shape lies before the one that it reaches into
    for place, (row, edges, density) in reversed(list(enumerate(shapes))):
        shape, depth = place + _OVERLAP * density / highest, 2 * (len(shapes) - place)
        color = colormaps["cividis"](0.92 - 0.85 * place / max(1, len(shapes) - 1))
        if row.n_gold:
            axes.stairs(shape, edges, baseline=place, fill=True, color=color, alpha=0.85, zorder=depth)
            axes.stairs(shape, edges, baseline=place, color=canvas.INK, linewidth=0.4, zorder=depth + 1)
            line = ([row.median] * 2, [place, place + 0.55])
            axes.plot(*line, color="white", linewidth=2.0, zorder=30)
            axes.plot(*line, color="#B3400A", linewidth=1.1, zorder=31)
        axes.axhline(place, color=canvas.QUIET, linewidth=0.3, zorder=0)
    canvas.few_ticks(axes.xaxis)
    axes.set_ylim(-0.08, len(shapes) - 1 + _OVERLAP + 0.1)
    labels = [f"{row.gold_low:g}–{row.gold_high:g}" if is_first else "" for row, *_ in shapes]
    axes.set_yticks(range(len(shapes)), labels)
    canvas.bare_lines(axes)
    if is_first:
        axes.set_ylabel("gold score")


HISTOGRAMS = Recipe(
    HistogramRow,
    _draw,
    "Similarity by gold score",
    lambda rows: [
        f"Distribution of {words.MEASURES[rows[0].measure]} for pairs in each range of gold scores, light for the "
        "lowest; each shape has the same area, and the line marks the median. Above each panel: the correlation × 100.",
        left_out(
            {
                "encoder": len(grouped(rows, "model")) - _MOST_MODELS,
                "pair set": len(grouped(rows, "pairs")) - _MOST_SETS,
            }
        ),
    ],
    nothing=NOTHING,
)
