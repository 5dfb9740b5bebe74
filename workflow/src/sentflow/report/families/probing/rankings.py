"""Average ranks over tasks: the critical-difference diagram, and ranks as intervals."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions, comparison_texts
from sentflow.report.comparison_data import RankingRow, ranking_rows
from sentflow.report.figure import canvas, layout, lettering
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal

_LINE_INCHES = 0.2
_BAR_STEP = 0.32  # distance of bars and of names, in lines
_SIZE, _NAME_INCHES = 7, 1.75  # of names beside the axis of ranks
_WIDTH = 7.0  # inches of the critical-difference diagram
_LABEL_SIZE, _LABEL_INCHES = 6.5, 2.6
_TICK_INCHES = 0.2  # between numbers on the axis of ranks


def draw_critical_difference(rows: Sequence[RankingRow]) -> Figure:
    """Encoders on an axis of average ranks, one axis per protocol; a bar joins those that are not separated."""
    groups = comparison_texts.ranked_groups(rows)
    texts = comparison_texts.critical_difference(rows)
    if not groups:
        return layout.nothing(texts, rows)
    figure = Figure()
    panels = figure.subplots(len(groups), 1, squeeze=False)[:, 0]
    lines = [
        _draw_diagram(axes, ranked, captions.heading_of_protocol(protocol, rows))
        for axes, (protocol, ranked) in zip(panels, groups.items(), strict=True)
    ]
    layout.finish(figure, texts, rows, Panels([_LINE_INCHES * n for n in lines], _WIDTH))
    return figure


def _draw_diagram(axes: Axes, ranked: Sequence[RankingRow], heading: str) -> float:
    """The diagram of one protocol; how many lines it takes."""
    runs = joined_runs(ranked)
    levels = bar_levels(runs)
    n_lines = math.ceil(len(ranked) / 2)
    depth = 0.6 + _BAR_STEP * (max(levels, default=0) + 1)
    titles = {row.model: row.model_title for row in ranked}
    names = lettering.distinct(titles, lettering.into(_NAME_INCHES, _SIZE))
    best, worst = 1, len(ranked)
    # names, their average ranks and the lines that lead to them
    beside = lettering.widest([f"{name}  00.00" for name in names.values()], _SIZE) + 0.25
    inches_per_rank = (_WIDTH - 2 * beside) / (worst - best)
    axes.set_xlim(best - beside / inches_per_rank, worst + beside / inches_per_rank)
    axes.set_ylim(-(depth + n_lines + 0.4), 2.2)
    axes.axis("off")
    _scale(axes, best, worst, step=math.ceil(_TICK_INCHES / inches_per_rank))
    for (left, right), level in zip(runs, levels, strict=True):
        height = -0.45 - _BAR_STEP * level
        ends = (ranked[left].average_rank - 0.03, ranked[right].average_rank + 0.03)
        axes.plot(ends, (height, height), color=canvas.INK, linewidth=2.6, solid_capstyle="butt")
    _names(axes, ranked, names, depth=depth, reach=0.2 / inches_per_rank)
    _critical_difference(axes, ranked[0].nemenyi_cd, best, worst)
    canvas.head(axes, heading)
    return n_lines + depth + 2.6


def joined_runs(ranked: Sequence[RankingRow]) -> list[tuple[int, int]]:
    """First and last position of every longest run of encoders of which no two are separated.

    Parameters
    ----------
    ranked
        By average rank.
    """
    joined = [set(row.not_separated.split()) for row in ranked]
    runs: list[tuple[int, int]] = []
    for start in range(len(ranked)):
        end = start
        while end + 1 < len(ranked) and all(
            ranked[end + 1].model in joined[other] for other in range(start, end + 1)
        ):
            end += 1
        if end > start and not any(left <= start and end <= right for left, right in runs):
            runs.append((start, end))
    return runs


def bar_levels(runs: Sequence[tuple[int, int]]) -> list[int]:
    """The line of each run's bar, from 0 down: as few lines as keep bars that share an encoder apart."""
    ends: list[int] = []  # per line the last position of its last bar
    levels = []
    for start, end in runs:
        level = next((place for place, last in enumerate(ends) if last < start), len(ends))
        ends[level : level + 1] = [end]
        levels.append(level)
    return levels


def draw_ranks(rows: Sequence[RankingRow]) -> Figure:
    """One line per encoder, from the best average rank: rank, intervals, mean score; a panel per protocol."""
    groups = comparison_texts.ranked_groups(rows)
    texts = comparison_texts.ranks(rows)
    if not groups:
        return layout.nothing(texts, rows)
    looks = canvas.looks(rows)
    figure = Figure()
    panels = figure.subplots(len(groups), 1, squeeze=False)[:, 0]
    for axes, (protocol, ranked) in zip(panels, groups.items(), strict=True):
        _draw_ranks(axes, ranked, looks)
        canvas.head(axes, captions.heading_of_protocol(protocol, rows))
    panels[-1].set_xlabel("average rank")
    heights = [_LINE_INCHES * len(ranked) for ranked in groups.values()]
    layout.finish(figure, texts, rows, Panels(heights, least_width=3.0))
    return figure


def _draw_ranks(axes: Axes, ranked: Sequence[RankingRow], looks: Mapping[str, canvas.Look]) -> None:
    titles = {row.model: row.model_title for row in ranked}
    names = lettering.distinct(titles, lettering.into(_LABEL_INCHES, _LABEL_SIZE))
    for line, row in enumerate(ranked):
        look = looks[row.model]
        axes.plot((row.true_low, row.true_high), (line, line), color=look.color, linewidth=0.7)
        axes.plot((row.repeat_low, row.repeat_high), (line, line), color=look.color, linewidth=2.4)
        axes.plot(row.average_rank, line, marker=look.marker, color=look.color, markersize=4)
        axes.annotate(
            decimal(row.mean), (1, line), xycoords=("axes fraction", "data"), xytext=(4, 0),
            textcoords="offset points", va="center", color=canvas.INK,
        )  # fmt: skip
    axes.annotate(
        "mean score", (1, 1), xycoords="axes fraction", xytext=(4, 2), textcoords="offset points",
        va="bottom", color=canvas.QUIET, fontsize=6.5,
    )  # fmt: skip
    axes.set_yticks(range(len(ranked)), list(names.values()))
    axes.set_ylim(len(ranked) - 0.5, -0.5)
    axes.set_xlim(0.8, len(ranked) + 0.2)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _scale(axes: Axes, best: int, worst: int, *, step: int) -> None:
    axes.plot((best, worst), (0, 0), color=canvas.INK, linewidth=0.8)
    for rank in range(best, worst + 1):
        axes.plot((rank, rank), (0, 0.22), color=canvas.INK, linewidth=0.8)
        if (rank - best) % step == 0:
            axes.text(rank, 0.35, str(rank), ha="center", va="bottom", fontsize=6.5)


def _names(
    axes: Axes, ranked: Sequence[RankingRow], names: Mapping[str, str], *, depth: float, reach: float
) -> None:
    """The better half at the left from the top down, the other half at the right from the bottom up.

    Lines reach that far beyond the axis of ranks.
    """
    half = math.ceil(len(ranked) / 2)
    for place, row in enumerate(ranked):
        at_left = place < half
        line = place if at_left else len(ranked) - 1 - place
        height = -(depth + line)
        edge = 1 - reach if at_left else len(ranked) + reach
        color = canvas.QUIET if row.is_control else canvas.INK
        axes.plot((row.average_rank, row.average_rank, edge), (0, height, height), color=color, linewidth=0.7)
        number, name = decimal(row.average_rank, 2), names[row.model]
        axes.annotate(
            f"{name}  {number}" if at_left else f"{number}  {name}",
            (edge, height), xytext=(-3 if at_left else 3, 0), textcoords="offset points",
            ha="right" if at_left else "left", va="center", color=color, fontsize=_SIZE,
        )  # fmt: skip


def _critical_difference(axes: Axes, width: float, best: int, worst: int) -> None:
    if math.isnan(width) or width > worst - best:
        return
    height = 1.55
    axes.plot((best, best + width), (height, height), color=canvas.QUIET, linewidth=1)
    for end in (best, best + width):
        axes.plot((end, end), (height - 0.12, height + 0.12), color=canvas.QUIET, linewidth=1)
    axes.text(
        best + width / 2, height + 0.15, f"CD {decimal(width, 2)}", ha="center", va="bottom",
        color=canvas.QUIET, fontsize=6.5,
    )  # fmt: skip


def gather(inputs: Inputs) -> list[RankingRow]:
    """`ranking_rows` of the scores and of what `compare` wrote."""
    found = inputs.together(Comparisons)
    return ranking_rows(inputs.rows_if_there(ScoreRow), found.ranks, found.across, found.omnibus)


CRITICAL_DIFFERENCE = Recipe(
    RankingRow, draw_critical_difference, comparison_texts.critical_difference, gather, may_be_empty=True
)
RANKS = Recipe(RankingRow, draw_ranks, comparison_texts.ranks, gather, may_be_empty=True)
