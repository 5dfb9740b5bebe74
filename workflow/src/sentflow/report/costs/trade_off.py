"""Mean score against what an encoder costs: the time to embed texts, and the number of trained parameters."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.compare.comparisons import Comparisons
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.costs.pareto import Point, draw_points, write_ticks
from sentflow.report.costs.rows import EncoderRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import handles, nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, nothing, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted, duration, listed, percent, seconds_each
from sentflow.report.rows import data_note, unique

_HEIGHT, _PANELS_INCHES, _MOST_PANEL = 2.1, 5.8, 6.4
FEWEST = 3
"""Encoders of a known cost, below which a panel would show nothing that the table of encoders does not."""
_NOTHING = f"Not drawn: fewer than {FEWEST} encoders have a score on every task and a known time or size."


@dataclass(frozen=True)
class TradeOffRow(EncoderRow):
    """An encoder, what it costs, and how sure its mean is."""

    # mean_low, mean_high, level: interval of the mean of the expected scores, for new texts of these tasks; see
    # `sentflow.compare.rows.RankRow`. NaN where there is none.
    mean_low: float = math.nan
    mean_high: float = math.nan
    level: float = math.nan


@dataclass(frozen=True)
class _Cost:
    """A kind of cost: what stands below its panel, how numbers are written, whose is not known, and why."""

    heading: str
    of: Callable[[TradeOffRow], float]
    written: Callable[[float], str]
    unknown: str


def seconds_of_1000(row: EncoderRow) -> float:
    """Time to embed 1,000 texts; NaN where no job embedded any."""
    return 1000 * row.embed_seconds / row.texts if row.texts > 0 else math.nan


def short_count(value: float) -> str:
    """``300``, ``30 k``, ``100 M``, ``7 B``."""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"


_TIME = _Cost(
    "time to embed 1,000 texts",
    seconds_of_1000,
    seconds_each,
    "fitted in every fold, so without an embedding time",
)
_SIZE = _Cost(
    "trained parameters",
    lambda row: row.parameters,
    short_count,
    "without trained parameters, or of unknown size",
)


def draw(rows: Sequence[TradeOffRow]) -> Figure:
    """A panel for each kind of cost that enough encoders have; all have one axis of scores."""
    shown = _shown_costs(rows)
    if not shown:
        return nothing_drawn(_NOTHING, rows)
    looks, least = canvas.looks(rows), _PANELS_INCHES / len(shown)

    def draw_cost(cost: _Cost, axes: Axes) -> None:
        known = _known(rows, cost)
        points = [Point(row.model, cost.of(row), row.mean, row.mean_low, row.mean_high) for row in known]
        draw_points(axes, points, looks)
        axes.set_xlabel(cost.heading)
        write_ticks(axes, cost.written, [point.cost for point in points], inches=least)
        canvas.few_ticks(axes.yaxis)

    drawn = {row.model for cost in shown for row in _known(rows, cost)}
    of_legend = [row for row in rows if row.model in drawn]
    entries = handles(of_legend, {row.model: looks[row.model] for row in of_legend}, linestyle="none")
    return panels(
        dict.fromkeys(shown, ""), draw_cost, rows=rows, heights=[_HEIGHT], width=(least, _MOST_PANEL),
        share=(False, True), labels=("", f"mean score of {rows[0].n_tasks} tasks"), legend=entries,
    )  # fmt: skip


def texts_of(rows: Sequence[TradeOffRow]) -> Caption:
    """Texts of the figure, which names whoever is in none of its panels."""
    title, shown = "Score against cost", _shown_costs(rows)
    first = rows[0]
    if not shown:
        return nothing(title, _NOTHING)
    timed = _known(rows, _TIME) if _TIME in shown else []
    incomplete = [row.model_title for row in rows if math.isnan(row.mean)]
    devices = ", ".join(unique(row.device for row in timed)) or "no device"
    level = next((row.level for row in rows if not math.isnan(row.mean_low)), math.nan)
    return Caption(
        title=title,
        reading=sentences(
            f"Mean score over {counted(first.n_tasks, 'task')}."
            + (
                ""
                if math.isnan(level)
                else f" Lines: {percent(level)} interval of the mean of the expected scores, for new texts of these "
                f"tasks{captions.same_documents(first.same_documents.split())}; whether two encoders differ is a "
                "question for a test."
            ),
            f"Time: on {devices}, loading the model included, of one run; {duration(_seconds(timed))} in all."
            if timed
            else "",
            "Dashed: encoders that no other beats in both (Pareto front); it is not a test.",
            *(_left_out(rows, cost) for cost in (_TIME, _SIZE)),
            f"Not shown, because a task is missing: {', '.join(incomplete)}." if incomplete else "",
            first.score_notes,
            f"Protocol {first.protocol}, {first.repetitions} × {first.folds} folds.",
            data_note(rows),
        ),
        alternative=f"Mean score over {first.n_tasks} tasks against {listed([cost.heading for cost in shown])}, "
        f"for {counted(len(rows), 'encoder')}. The table of encoders has the same numbers.",
    )


def _shown_costs(rows: Sequence[TradeOffRow]) -> list[_Cost]:
    return [cost for cost in (_TIME, _SIZE) if len(_known(rows, cost)) >= FEWEST]


def _known(rows: Sequence[TradeOffRow], cost: _Cost) -> list[TradeOffRow]:
    return [row for row in rows if not math.isnan(row.mean) and cost.of(row) > 0]


def _left_out(rows: Sequence[TradeOffRow], cost: _Cost) -> str:
    """Who has no point in the panel of a cost, or why there is no such panel."""
    known = _known(rows, cost)
    if len(known) < FEWEST:
        return f"No panel of {cost.heading}: known of {counted(len(known), 'encoder')}."
    absent = [row.model_title for row in rows if row not in known and not math.isnan(row.mean)]
    return f"No point for {', '.join(absent)}: {cost.unknown}." if absent else ""


def _seconds(rows: Sequence[TradeOffRow]) -> float:
    return math.fsum(row.embed_seconds for row in rows)


def gather(inputs: Inputs) -> list[TradeOffRow]:
    """The encoders with the intervals of their means, where `compare` wrote them."""
    ranks = {(row.protocol, row.model): row for row in inputs.together(Comparisons).ranks}
    found = []
    for row in inputs.rows_if_there(EncoderRow):
        rank = ranks.get((row.protocol, row.model))
        limits = {"mean_low": rank.mean_low, "mean_high": rank.mean_high, "level": rank.level} if rank else {}
        found.append(row_from(TradeOffRow, vars(row), **limits))
    return found


FIGURE = Recipe(TradeOffRow, draw, texts_of, gather)
