"""Matrix of wins, ties and losses between encoders."""

from collections.abc import Sequence

from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sentflow.report import canvas, comparison_texts
from sentflow.report.comparison_data import MatchRow

_ROW_INCHES = 0.24
_LABEL_INCHES = 2.3
_MAX_COLUMN_INCHES = 1.05
_MAX_NAMES = 5
_WIDE = 0.6  # inches of a cell in which numbers stand apart


def draw(rows: Sequence[MatchRow]) -> Figure:
    """One cell per pair, row against column; encoders by average rank, the best first."""
    texts = comparison_texts.wins(rows)
    if not rows:
        return canvas.nothing(texts, rows)
    titles = titles_by_rank(rows)
    models = list(titles)
    column = min(_MAX_COLUMN_INCHES, (canvas.PAGE_WIDTH - _LABEL_INCHES) / len(models))
    # long names side by side would have to be cut until they are alike: numbers stand for them
    numbered = len(models) > _MAX_NAMES
    # a narrow figure would leave no room for the line above and the lines below it
    width = max(5.2, _LABEL_INCHES + column * len(models))
    figure = Figure(figsize=(width, _ROW_INCHES * len(models) + (0.2 if numbered else 0.45)))
    axes = figure.subplots()
    scale = colormaps["RdBu"]
    for row in rows:
        a, b = models.index(row.model_a), models.index(row.model_b)
        n_tasks = row.wins + row.ties + row.losses
        for line, place, won, lost in ((a, b, row.wins, row.losses), (b, a, row.losses, row.wins)):
            share = (won - lost) / n_tasks if n_tasks else 0.0
            # only the light part of the scale, on which ink can be read
            color = scale(0.5 + 0.24 * share)
            axes.add_patch(Rectangle((place, line), 1, 1, facecolor=color, edgecolor="white", linewidth=1.5))
            text = f"{won} – {row.ties} – {lost}" if column > _WIDE else f"{won}–{row.ties}–{lost}"
            axes.text(
                place + 0.5, line + 0.5, text, ha="center", va="center",
                color=canvas.INK, fontsize=7 if column > _WIDE else 5.5,
            )  # fmt: skip
    for place in range(len(models)):
        axes.add_patch(Rectangle((place, place), 1, 1, facecolor="#EEEEEE", edgecolor="white", linewidth=1.5))
    centres = [place + 0.5 for place in range(len(models))]
    names = [canvas.shorten(title, 34) for title in titles.values()]
    numbers = [str(place) for place in range(1, len(names) + 1)]
    lines = [f"{name}  {number}" for name, number in zip(names, numbers, strict=True)]
    axes.set_yticks(centres, lines if numbered else names)
    axes.xaxis.tick_top()
    axes.set_xticks(centres, numbers if numbered else [canvas.two_lines(name) for name in names])
    axes.set_xlim(0, len(models))
    axes.set_ylim(len(models), 0)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    canvas.frame(figure, texts, rows)
    return figure


def titles_by_rank(rows: Sequence[MatchRow]) -> dict[str, str]:
    """Encoders with their titles, the best average rank first."""
    found = {row.model_a: (row.average_rank_a, row.model_a_title) for row in rows}
    found |= {row.model_b: (row.average_rank_b, row.model_b_title) for row in rows}
    return {model: found[model][1] for model in sorted(found, key=lambda model: found[model][0])}
