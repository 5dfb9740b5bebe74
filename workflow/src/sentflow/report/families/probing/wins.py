"""Matrix of wins, ties and losses between encoders."""

from collections.abc import Sequence

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.protocol_groups import by_protocol
from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions, comparison_texts
from sentflow.report.comparison_data import MatchRow, match_rows
from sentflow.report.figure import canvas, layout, lettering
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.inputs import Inputs

_ROW_INCHES = 0.24
_LABEL_SIZE, _LABEL_INCHES = 6.5, 2.2
_MOST_COLUMN = 1.05  # inches
_SIZE, _SMALL = 7, 5.5  # of the numbers in the cells


def draw(rows: Sequence[MatchRow]) -> Figure:
    """One cell per pair, row against column; encoders in the order of the selection; a matrix per protocol."""
    texts = comparison_texts.wins(rows)
    if not rows:
        return layout.nothing(texts, rows)
    groups = by_protocol(rows)
    titles = {row.model_a: row.model_a_title for row in rows}
    titles |= {row.model_b: row.model_b_title for row in rows}
    models = list(titles)
    names = lettering.distinct(titles, lettering.into(_LABEL_INCHES, _LABEL_SIZE))
    beside = lettering.widest(list(names.values()), _LABEL_SIZE) + 0.3
    column = min(_MOST_COLUMN, (canvas.PAGE_WIDTH - beside) / len(models))
    headings = [lettering.broken(name, column - 0.08, _LABEL_SIZE) for name in names.values()]
    # where names do not fit above their columns, numbers stand for them
    numbered = lettering.widest(headings, _LABEL_SIZE) > column - 0.08
    counts = [(row.wins, row.ties, row.losses) for row in rows]
    spaced = [" – ".join(map(str, cell)) for cell in counts]
    is_wide = lettering.widest(spaced, _SIZE) + 0.1 <= column
    dash, size = (" – ", _SIZE) if is_wide else ("–", _SMALL)
    least = 0.1 + lettering.widest([dash.join(map(str, cell)) for cell in counts], size)
    numbers = [str(place) for place in range(1, len(models) + 1)]
    lines = [f"{name}  {number}" for name, number in zip(names.values(), numbers, strict=True)]
    beside_and_above = (lines, numbers) if numbered else (list(names.values()), headings)
    figure = Figure()
    matrices = figure.subplots(len(groups), 1, squeeze=False)[:, 0]
    for axes, (protocol, own) in zip(matrices, groups.items(), strict=True):
        _draw_matrix(axes, own, models, dash=dash, size=size)
        _label(axes, *beside_and_above)
        canvas.head(axes, captions.heading_of_protocol(protocol, rows))
    panels = Panels(
        [_ROW_INCHES * len(models)] * len(groups), least * len(models), _MOST_COLUMN * len(models)
    )
    layout.finish(figure, texts, rows, panels)
    return figure


def _draw_matrix(
    axes: Axes, rows: Sequence[MatchRow], models: Sequence[str], *, dash: str, size: float
) -> None:
    cells = {(row.model_a, row.model_b): (row.wins, row.ties, row.losses) for row in rows}
    scale = colormaps["RdBu"]
    for (first, second), (wins, ties, losses) in cells.items():
        a, b = models.index(first), models.index(second)
        n_tasks = wins + ties + losses
        for line, place, won, lost in ((a, b, wins, losses), (b, a, losses, wins)):
            share = (won - lost) / n_tasks if n_tasks else 0.0
            # only the light part of the scale, on which ink can be read
            color = scale(0.5 + 0.24 * share)
            axes.add_patch(Rectangle((place, line), 1, 1, facecolor=color, edgecolor="white", linewidth=1.5))
            axes.text(
                place + 0.5, line + 0.5, f"{won}{dash}{ties}{dash}{lost}", ha="center", va="center",
                color=canvas.INK, fontsize=size, in_layout=False,
            )  # fmt: skip
    for place in range(len(models)):
        axes.add_patch(Rectangle((place, place), 1, 1, facecolor="#EEEEEE", edgecolor="white", linewidth=1.5))
    axes.set_xlim(0, len(models))
    axes.set_ylim(len(models), 0)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _label(axes: Axes, beside: Sequence[str], above: Sequence[str]) -> None:
    centres = [place + 0.5 for place in range(len(beside))]
    axes.set_yticks(centres, beside)
    axes.xaxis.tick_top()
    axes.set_xticks(centres, above)


def gather(inputs: Inputs) -> list[MatchRow]:
    """`match_rows` of the scores and of what `compare` wrote."""
    return match_rows(inputs.rows_if_there(ScoreRow), inputs.together(Comparisons).across)


FIGURE = Recipe(MatchRow, draw, comparison_texts.wins, gather, may_be_empty=True)
