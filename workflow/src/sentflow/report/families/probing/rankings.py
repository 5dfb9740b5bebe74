"""Average ranks over tasks with their intervals, and which encoders the tests over tasks do not separate."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions, comparison_texts
from sentflow.report.comparison_data import RankingRow, ranking_rows
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal

_LINE_INCHES = 0.2
_LABEL_SIZE, _LABEL_INCHES = 6.5, 2.6
_NUMBERS = 4  # points between the panel and the mean scores
_BARS, _BAR_STEP = 34, 5  # points between the panel and the first bar, and between bars
_BAR_END = 0.28  # lines by which a bar goes beyond the first and the last encoder that it joins


def draw(rows: Sequence[RankingRow]) -> Figure:
    """One line per encoder, from the best average rank: rank, intervals, mean score; a panel per protocol.

    Bars at the right join encoders that are not separated from each other.
    """
    groups = comparison_texts.ranked_groups(rows)
    if not groups:
        return nothing_drawn(comparison_texts.NOTHING, rows)
    looks = canvas.looks(rows)
    return panels(
        {protocol: captions.heading_of_protocol(protocol, rows) for protocol in groups},
        lambda protocol, axes: _draw_panel(axes, groups[protocol], looks), rows=rows, columns=1, width=(3.0, 7.0),
        heights=[_LINE_INCHES * len(ranked) for ranked in groups.values()], share=(False, False),
        labels=("average rank", ""),
    )  # fmt: skip


def joined_runs(ranked: Sequence[RankingRow]) -> list[tuple[int, int]]:
    """First and last position of every longest run of encoders of which no two are separated."""
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


def _draw_panel(axes: Axes, ranked: Sequence[RankingRow], looks: Mapping[str, canvas.Look]) -> None:
    titles = {row.model: row.model_title for row in ranked}
    names = lettering.distinct(titles, lettering.into(_LABEL_INCHES, _LABEL_SIZE))
    for line, row in enumerate(ranked):
        look = looks[row.model]
        axes.plot((row.repeat_low, row.repeat_high), (line, line), color=look.color, linewidth=2.4)
        axes.plot(row.average_rank, line, marker=look.marker, color=look.color, markersize=4)
        axes.annotate(
            decimal(row.mean), (1, line), xycoords=("axes fraction", "data"), xytext=(_NUMBERS, 0),
            textcoords="offset points", va="center", color=canvas.INK,
        )  # fmt: skip
    axes.annotate(
        "mean score", (1, 1), xycoords="axes fraction", xytext=(_NUMBERS, 2), textcoords="offset points",
        va="bottom", color=canvas.QUIET, fontsize=6.5,
    )  # fmt: skip
    _join(axes, ranked)
    axes.set_yticks(range(len(ranked)), list(names.values()))
    axes.set_ylim(len(ranked) - 0.5, -0.5)
    axes.set_xlim(0.8, len(ranked) + 0.2)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _join(axes: Axes, ranked: Sequence[RankingRow]) -> None:
    """A bar beside every longest run of encoders that are not separated, right of the mean scores."""
    figure, runs = axes.get_figure(root=True), joined_runs(ranked)
    assert figure is not None
    for (first, last), level in zip(runs, bar_levels(runs), strict=True):
        inches = (_BARS + _BAR_STEP * level) / 72
        beside = ScaledTranslation(inches, 0, figure.dpi_scale_trans)
        axes.plot(
            (1, 1), (first - _BAR_END, last + _BAR_END), transform=axes.get_yaxis_transform() + beside,
            color=canvas.INK, linewidth=2, solid_capstyle="butt", clip_on=False,
        )  # fmt: skip


def gather(inputs: Inputs) -> list[RankingRow]:
    """`ranking_rows` of the scores and of what `compare` wrote."""
    found = inputs.together(Comparisons)
    return ranking_rows(inputs.rows_if_there(ScoreRow), found.ranks, found.across, found.omnibus)


FIGURE = Recipe(RankingRow, draw, comparison_texts.ranks, gather, may_be_empty=True)
