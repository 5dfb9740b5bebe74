"""Forest plot: per task the encoders with both intervals."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.families.probing import encoder_lines, remarks
from sentflow.report.figure import canvas
from sentflow.report.figure.recipe import Recipe
from sentflow.report.figure.texts import FigureTexts
from sentflow.report.numbers import percent
from sentflow.report.rows import data_note

_THIN, _THICK = 0.9, 4.5  # points


def draw(rows: Sequence[ScoreRow]) -> Figure:
    """One panel per task, all on one axis; the dashed line at 0 is chance.

    Thin line: generalisation interval. Thick line: repeatability interval. A hollow marker has no interval
    (all folds gave the same score).
    """
    return encoder_lines.draw(
        rows,
        _draw_line,
        head=_head,
        ends=lambda row: (*row.shown_generalisation, row.mean),
        texts=texts_of(rows),
        legend=_handles(),
    )


def texts_of(rows: Sequence[ScoreRow]) -> FigureTexts:
    """Texts of the forest plot."""
    row = rows[0]
    return FigureTexts(
        title=f"Scores with {percent(row.level)} intervals",
        reading=" ".join(
            [
                f"Thin, generalisation ({percent(row.level)}): {captions.generalisation(rows)}.",
                f"Thick, repeatability ({percent(row.repeatability_level)}): where the mean would be if "
                "only the shuffling of the same texts changed (published bootstrap).",
                captions.design_note(rows),
                "Fold scores are cut at 0, which raises scores of guessing slightly above chance."
                if any(one.clips for one in rows)
                else "",
                *captions.degenerate_notes(rows, "Hollow"),
                *remarks.training_notes(rows),
                data_note(rows),
            ]
        ).replace("  ", " "),
        alternative=f"Forest plot of {captions.extent(rows)}: one panel per task, one line per encoder with its "
        "score and both intervals. The table of intervals has the same numbers.",
    )


def _head(row: ScoreRow) -> encoder_lines.Head:
    head = encoder_lines.head_of_task(row)
    return head._replace(end=remarks.training_mark(row) + head.end)


def _handles() -> list[Line2D]:
    return [
        Line2D([], [], color=canvas.QUIET, linewidth=_THIN, label="generalisation interval"),
        Line2D([], [], color=canvas.QUIET, linewidth=_THICK, label="repeatability interval"),
        Line2D([], [], label="chance", **encoder_lines.CHANCE),  # type: ignore[arg-type]
    ]


def _draw_line(axes: Axes, row: ScoreRow, height: int, look: canvas.Look) -> None:
    if not row.degenerate:
        axes.plot(row.shown_generalisation, [height] * 2, color=look.color, linewidth=_THIN)
        axes.plot(
            row.shown_repeatability, [height] * 2, color=look.color, linewidth=_THICK, solid_capstyle="butt"
        )
    axes.plot(
        row.mean,
        height,
        marker=look.marker,
        markersize=3.4 if row.degenerate else 2.2,
        markerfacecolor="white",
        markeredgecolor=look.color,
        markeredgewidth=0.8,
    )


FIGURE = Recipe(ScoreRow, draw, texts_of)
