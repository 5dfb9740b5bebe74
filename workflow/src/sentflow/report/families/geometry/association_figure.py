"""Correlations over encoders between measures of geometry and scores, with their intervals."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.compare.score_rows import ScoreRow
from sentflow.report.families.geometry.association import association_rows
from sentflow.report.families.geometry.rows import AssociationRow, GeometryRow
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import NOTHING, Caption, Recipe, nothing, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal, percent
from sentflow.report.rows import data_note, unique

_LINE_INCHES = 0.19
_CLEAR, _UNCLEAR = "#0072B2", "#777777"


def draw(rows: Sequence[AssociationRow]) -> Figure:
    """A column per score, a line per measure; filled where the interval does not hold 0."""
    if not rows:
        return nothing_drawn(NOTHING, rows)
    scores = {row.score: row.score_title for row in rows}
    families = unique(row.family for row in rows)
    measures = {family: unique(row.measure for row in rows if row.family == family) for family in families}

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        members = [row for row in rows if (row.family, row.score) == key]
        _draw_panel(axes, members, measures[key[0]], names=key[1] == next(iter(scores)))

    headings = {
        (family, score): f"{family}: {title}" for family in families for score, title in scores.items()
    }
    return panels(
        headings, draw_panel, rows=rows, columns=len(scores), width=(1.6, 4.0), share=(True, False),
        heights=[_LINE_INCHES * (len(measures[family]) + 0.2) for family in families],
        labels=("Spearman's correlation over encoders", ""),
    )  # fmt: skip


def texts_of(rows: Sequence[AssociationRow]) -> Caption:
    """Texts of the correlations between geometry and scores."""
    title = "Is geometry related to scores?"
    if not rows:
        return nothing(title)
    counts = sorted({row.n_models for row in rows})
    encoders = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    few = counts[0] <= 3
    controls = max(row.n_controls for row in rows)
    # the longest list: a measure may be undefined for some
    names = max((row.encoders for row in rows), key=len)
    return Caption(
        title=title,
        reading=sentences(
            f"Spearman's correlation over encoders between a measure of geometry and a score, with "
            f"{percent(rows[0].level)} intervals (Fisher's transformation with the variance of Bonett and "
            "Wright 2000).",
            f"Each rests on {encoders} encoders only"
            + (f" ({controls} of them {'a control' if controls == 1 else 'controls'})" if controls else "")
            + f": {names}.",
            *(
                [
                    "With three encoders or fewer the correlation is not informative, so the interval "
                    "is the whole range."
                ]
                if few
                else [
                    "An interval that contains 0 means that the direction is not known; intervals are not adjusted for "
                    "the number of measures."
                ]
            ),
            "A correlation over encoders is not a cause: encoders differ in size, data and training at once.",
            data_note(rows),
        ),
        alternative=f"Correlation over {encoders} encoders of "
        f"{len({(row.family, row.measure) for row in rows})} measures of geometry with scores: "
        + "; ".join(
            f"{words.geometry_name(row.measure)} with {row.score_title} {decimal(row.correlation, 2)} "
            f"({decimal(row.low, 2)} to {decimal(row.high, 2)})"
            for row in rows
            if not math.isnan(row.correlation)
        )
        + ".",
    )


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


def gather(inputs: Inputs) -> list[AssociationRow]:
    """`association_rows` of geometry, similarity and, where tasks were probed, their scores."""
    return association_rows(
        inputs.rows_if_there(GeometryRow),
        inputs.rows_if_there(SimilarityRow),
        inputs.rows_if_there(ScoreRow),
    )


FIGURE = Recipe(AssociationRow, draw, texts_of, gather, may_be_empty=True)
