"""Average ranks over tasks with their intervals, and which encoders the tests over tasks do not separate."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.rows import RankRow
from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.files.rows import number_or_nan
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, nothing, sentences
from sentflow.report.numbers import counted, decimal, p_value, percent
from sentflow.report.rows import data_note, data_versions, unique

NOTHING = "Nothing to compare: fewer than two encoders have a score on every task."
_LINE_INCHES = 0.2
_LABEL_SIZE, _LABEL_INCHES = 6.5, 2.6
_NUMBERS = 4  # points between the panel and the mean scores
_BARS, _BAR_STEP = 34, 5  # points between the panel and the first bar, and between bars
_BAR_END = 0.28  # lines by which a bar goes beyond the first and the last encoder that it joins


@dataclass(frozen=True)
class RankingRow(RankRow):
    """An encoder over all tasks, with the tests of all encoders together."""

    # not_separated: the other encoders that the tests over tasks do not tell from this one; joined by spaces
    not_separated: str
    alpha: float  # of the tests
    # friedman_p, iman_davenport_p: of all complete encoders, the same in every row; NaN where there are too few
    friedman_p: float
    iman_davenport_p: float
    units: str
    n_units: int
    repetitions: int
    folds: int
    data_version: str
    position: int = -1
    score_notes: str = ""  # why scores of the protocol are lower than encoders allow; empty where none are


def ranking_rows(scores: Sequence[ScoreRow], comparisons: Comparisons) -> list[RankingRow]:
    """The ranks of `compare`, protocol after protocol, the best first, and incomplete encoders last."""
    rows = []
    for protocol, ranks in by_protocol(comparisons.ranks).items():
        scored = [row for row in scores if row.protocol == protocol]
        tests, omnibus = comparisons.of(protocol).across, comparisons.omnibus[protocol]
        joined = [(row.model_a, row.model_b) for row in tests if not row.separated]
        position = {row.model: row.position for row in scored}
        rows += [
            RankingRow(
                **asdict(rank),
                not_separated=" ".join(
                    sorted({*chain(*(pair for pair in joined if rank.model in pair))} - {rank.model})
                    if rank.complete
                    else ()
                ),
                alpha=number_or_nan(omnibus.get("alpha")),
                friedman_p=number_or_nan(omnibus.get("friedman_p")),
                iman_davenport_p=number_or_nan(omnibus.get("iman_davenport_p")),
                units=omnibus["units"],
                n_units=omnibus["n_units"],
                repetitions=scored[0].repetitions,
                folds=scored[0].folds,
                data_version="; ".join(data_versions(scored)),
                position=position[rank.model],
                score_notes=remarks.low_score_text(scored),
            )
            for rank in sorted(
                ranks, key=lambda rank: (not rank.complete, math.isnan(rank.average_rank), rank.average_rank)
            )
        ]
    return rows


def draw(rows: Sequence[RankingRow]) -> Figure:
    """One line per encoder, from the best average rank: rank, intervals, mean score; a panel per protocol.

    Bars at the right join encoders that are not separated from each other.
    """
    groups = ranked_groups(rows)
    if not groups:
        return nothing_drawn(NOTHING, rows)
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


def texts_of(rows: Sequence[RankingRow]) -> Caption:
    """Texts of the average ranks, their intervals, and the bars that join encoders."""
    groups = ranked_groups(rows)
    if not groups:
        return nothing("Average ranks", NOTHING)
    ranked = [row for own in groups.values() for row in own]
    first, unranked = ranked[0], unique(row.model_title for row in rows if not row.complete)
    n_tasks = (
        counted(first.n_tasks, "task")
        if len(groups) == 1
        else f"the tasks of a protocol ({', '.join(f'{name} {own[0].n_tasks}' for name, own in groups.items())})"
    )

    def of_each(said: Callable[[RankingRow], str]) -> str:
        if len(groups) == 1:
            return said(first)
        return f"({'; '.join(f'{protocol}: {said(own[0])}' for protocol, own in groups.items())})"

    tested = of_each(lambda row: captions.over_units(row.units, row.n_units))
    omnibus = of_each(
        lambda row: f"Friedman {p_value(row.friedman_p)}, Iman and Davenport {p_value(row.iman_davenport_p)}"
    )
    return Caption(
        title=f"Average ranks with {percent(first.level)} intervals, and which encoders are not separated",
        reading=sentences(
            f"Average rank over {n_tasks}, 1 is the best. Line: interval of the average "
            "rank that a repetition with other tasks (of other sources, where there are several) and other texts "
            "would give.",
            "A bar at the right joins encoders that are not separated at "
            f"{percent(first.alpha)}: Wilcoxon's signed-rank test {tested}, Holm over all pairs, "
            "where the test of all encoders together rejects. It does not say that they are equal.",
            f"All encoders equal? {omnibus}.",
            *captions.apart_notes(rows),
            *unique(row.score_notes for row in rows),
            f"Not ranked, because a task is missing: {', '.join(unranked)}." if unranked else "",
            f"{captions.named_protocols(rows)}, {first.repetitions} × {first.folds} folds.",
            data_note(rows),
        ),
        alternative=f"Average rank, its intervals and bars of encoders that are not separated, for {len(ranked)} "
        f"encoders on {n_tasks}: "
        + ", ".join(f"{row.model_title} {decimal(row.average_rank, 2)}" for row in ranked)
        + ". The table of ranks has the same numbers.",
    )


def ranked_groups(rows: Sequence[RankingRow]) -> dict[str, list[RankingRow]]:
    """Protocol → the encoders that have a rank, the best first; without the protocols that rank fewer than two."""
    ranked = by_protocol(row for row in rows if row.complete and not math.isnan(row.average_rank))
    return {protocol: own for protocol, own in ranked.items() if len(own) > 1}


FIGURE = Recipe(
    RankingRow,
    draw,
    texts_of,
    lambda inputs: ranking_rows(inputs.rows_if_there(ScoreRow), inputs.together(Comparisons)),
    may_be_empty=True,
)
