"""Similarities by gold score: a column per encoder, a line per pair set, a shape per range of gold scores."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import HistogramRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import NOTHING, Caption, Recipe, encoders, nothing, sentences
from sentflow.report.numbers import MISSING, counted
from sentflow.report.rows import data_note, unique

_OVERLAP = 1.6  # how far a shape may reach into the next one, in lines
# encoders and pair sets of a figure; with more it would not fit a page
_MOST_MODELS, _MOST_SETS = 5, 4


def draw(rows: Sequence[HistogramRow]) -> Figure:
    """Shapes as densities, the lowest range of gold scores at the bottom."""
    if not rows:
        return nothing_drawn(NOTHING, rows)
    titles = {row.model: row.model_title for row in rows}
    models = list(titles)[:_MOST_MODELS]
    sets = unique(row.pairs for row in rows)[:_MOST_SETS]
    headings = {
        (pairs, model): titles[model] if pairs == sets[0] else "" for pairs in sets for model in models
    }
    of = {key: [row for row in rows if (row.pairs, row.model) == key] for key in headings}

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        if of[key]:
            _draw_panel(axes, of[key], is_first=key[1] == models[0])
        else:
            axes.set_visible(False)

    return panels(
        headings, draw_panel, rows=rows, columns=len(models), heights=[1.05], width=(1.1, 1.9),
        share=("col", False), labels=(words.MEASURES[rows[0].measure], ""),
        subtitles={(pairs, model): _said(pairs, own) for (pairs, model), own in of.items() if own},
    )  # fmt: skip


def _said(pairs: str, rows: Sequence[HistogramRow]) -> str:
    value = rows[0].value
    return f"{pairs}  {MISSING if value != value else words.hundred(value)}"


def texts_of(rows: Sequence[HistogramRow]) -> Caption:
    """Texts of the histograms of similarity by gold score."""
    title = "Similarity by gold score"
    if not rows:
        return nothing(title)
    sets, models = unique(row.pairs for row in rows), unique(row.model for row in rows)
    left_out = []
    if len(models) > _MOST_MODELS:
        left_out.append(counted(len(models) - _MOST_MODELS, "encoder"))
    if len(sets) > _MOST_SETS:
        left_out.append(counted(len(sets) - _MOST_SETS, "pair set"))
    return Caption(
        title=title,
        reading=sentences(
            f"Distribution of {words.MEASURES[rows[0].measure]} for pairs in each range of gold scores, "
            "light for the lowest; each shape has the same area. The line marks the median. For a good "
            "encoder the shapes move to the right as the gold score rises. Above each panel: the "
            "correlation × 100.",
            *(
                [f"Not drawn: {' and '.join(left_out)}; they are in the data of the figure."]
                if left_out
                else []
            ),
            data_note(rows),
        ),
        alternative=f"Histograms of the similarity of pairs by gold score for {encoders(rows)} on {len(sets)} pair "
        f"{'set' if len(sets) == 1 else 'sets'}. The table of sub-sources has the correlations.",
    )


def _draw_panel(axes: Axes, rows: Sequence[HistogramRow], *, is_first: bool) -> None:
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
    canvas.few_ticks(axes.xaxis)
    axes.set_ylim(-0.08, len(bins) - 1 + _OVERLAP + 0.1)
    labels = [f"{low:g}–{high:g}" for low, high in bins]
    axes.set_yticks(range(len(bins)), labels if is_first else [""] * len(bins))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    if is_first:
        axes.set_ylabel("gold score")


FIGURE = Recipe(HistogramRow, draw, texts_of, may_be_empty=True)
