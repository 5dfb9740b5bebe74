"""Where the models of a board stand: ranks with intervals, who is tied for first, who is separated from whom."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sentflow.boards.board import Board, board_of
from sentflow.boards.scores import FRACTION, PERCENT, Options, Scores
from sentflow.errors import DataError, instead, listed
from sentflow.report.claims import Claim
from sentflow.report.numbers import counted, decimal
from sentflow.stats.across import independent_units
from sentflow.stats.effective import FEWEST_VALUES, effective_clusters, numbered
from sentflow.stats.multiplicity import least_sign_flip_p
from sentflow.stats.separation import (
    ALPHA,
    FEWEST_GROUPS,
    FEWEST_SEEDS,
    Estimate,
    Separation,
    brackets,
    estimate_of,
    item_errors,
    letters,
    p_alone,
    seed_errors,
    separate,
    separate_items,
    separate_seeds,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TASKS, ITEMS, SEEDS = POPULATIONS = ("tasks", "items", "seeds")
"""What tests can hold for, in the order of preference."""


@dataclass(frozen=True)
class Place:
    """A model that has a score on every task: a line of ``board.csv``."""

    place: int  # by the mean, from 1
    model: str
    mean: float
    # own_low, own_high: places that its own M - 1 pairs leave open (95 % for this model alone): the thick line
    own_low: int
    own_high: int
    # board_low, board_high: places that all pairs leave open (95 % for the whole board at once): the thin line
    board_low: int
    board_high: int
    tied_for_first: bool
    better_than_all_from: int | None  # the place from which on all are worse, tested
    letters: str  # up to 20 models: those that share a letter are not separated


@dataclass(frozen=True)
class Named:
    """Two models that were asked for: `--separate A B`."""

    a: str
    b: str
    difference: float  # a less b
    low: float
    high: float
    p_alone: float  # unadjusted, without the stabilising variance
    p_board: float  # the board's
    sentence: str  # how many more units would separate the two
    # needed_alone, needed_on_board: units, if the difference is the true one; NaN where it is below its error
    needed_alone: float
    needed_on_board: float


@dataclass(frozen=True)
class Standing:
    """What tests say of a board."""

    title: str
    board: Board
    # Best first, by the mean; where `refusal` says why nothing is tested, with every place open
    places: tuple[Place, ...]
    population: str  # that tests hold for: ``"new tasks of this kind"``, ``"new items of these tasks"``, …
    units: str  # what is independent: ``"task"``, ``"group"``, ``"item"``, ``"seed"``
    n_units: int
    separation: Separation  # of the models in the order of `places`
    refusal: str  # why nothing is tested, and what is needed; else empty
    named: tuple[Named, ...]
    notes: tuple[str, ...]  # warnings and what readers did, one sentence each

    @property
    def brackets(self) -> list[tuple[int, int]]:
        """Runs of places, from 0 and with both ends, without a separated pair."""
        return [] if self.refusal else brackets(self.separation.separated)

    def verdict(self) -> Claim:
        """One line: how many are tied for first place, how many neighbours are not separated."""
        if self.refusal:
            return Claim("{refusal}", {"refusal": self.refusal})
        n, least = len(self.places), self.separation.least
        tied = [place.model for place in self.places if place.tied_for_first]
        n_open = n - 1 - int(np.diag(self.separation.separated, 1).sum())
        points = " points" if self.board.unit == PERCENT else ""
        values = {
            "first": next(iter(tied), ""),
            "second": self.places[1].model,
            "tied": f"all {n} models" if len(tied) == n else f"{len(tied)} of {n} models",
            "open": f"{n_open} of {n - 1} neighbours",
            "least": f"{decimal(least, self.board.digits)}{points}",
        }
        if n == 2 and len(tied) == 1:  # noqa: PLR2004
            said = "{first} is better than {second}"
        elif n == 2:  # noqa: PLR2004
            said = "{first} and {second} are not separated"
        elif len(tied) == 1:
            said = "{first} is better than all others; {open} are not separated"
        else:
            said = "{tied} are tied for first place; {open} are not separated"
        if least == 0:  # most pairs are equal throughout
            can = ""
        elif math.isfinite(least):
            can = " A typical pair needs a difference of {least} to be separated."
        else:
            can = " No difference is large enough for this board to separate two models."
        return Claim(f"For {self.population}, {said}.{can}", values)

    def frame(self) -> pd.DataFrame:
        """A row per model, in order, then the unranked ones, with the columns of ``board.csv``."""
        from sentflow.report.board.table import board_table  # which reads this module

        table = board_table(self)
        return pd.DataFrame(list(table.records), columns=list(table.header)).convert_dtypes()

    def plot(self) -> "Figure":
        """The figure of the page, which a notebook shows."""
        from sentflow.api.figures import shown
        from sentflow.report.board import figure
        from sentflow.report.figure import canvas

        with canvas.style():
            return shown(figure.draw(self))


def standing_of(scores: Scores, options: Options | None = None) -> Standing:
    """The models of a board in order, for the first population that the data can say something of.

    `scores`: as `sentflow.boards.files.read_files` gives them. The notes have the verdicts for other populations. Where
    the data allow no test, `refusal` says what is needed.

    Raises
    ------
    DataError
        If no model can be ranked, tasks have no common scale, or a model that was asked for is not ranked.
    """
    options = options or Options()
    wanted = options.population
    if wanted not in ("", *POPULATIONS):
        raise DataError(f"--population {wanted}: {instead(wanted, POPULATIONS)}")
    board = board_of(scores, common=options.common)
    _refuse_unranked(board, options)
    found = {name: data for name in POPULATIONS if (data := _data_of(board, name)) is not None}
    if wanted and wanted not in found:
        raise DataError(
            f"--population {wanted}: this needs {_NEEDED[wanted]}, for models without gaps. The data allow: "
            f"{', '.join(found)}."
        )
    tested = [name for name, data in found.items() if not data.refusal]
    chosen = wanted or next(iter(tested), [*found][-1])
    beside = [] if wanted else [_standing(board, found[name], options) for name in tested if name != chosen]
    refused = [data.refusal for name, data in found.items() if name != chosen]
    notes = [*(f"{other.verdict()}" for other in beside), *found[chosen].warnings, *filter(None, refused)]
    return _standing(board, found[chosen], options, notes)


def _refuse_unranked(board: Board, options: Options) -> None:
    for pair in options.separate:
        for name in pair:
            if name in board.unranked:
                lacks = listed(board.unranked[name], 5)
                raise DataError(f"--separate {name}: it lacks {lacks}. Compare common tasks with --common.")
            if name not in board.models:
                raise DataError(f"--separate {name}: there is no such model. {instead(name, board.models)}")
        if pair[0] == pair[1]:
            raise DataError(f"--separate {' '.join(pair)}: name two different models.")


_NEEDED = {
    ITEMS: "the score of every item, of at least two items per task",
    SEEDS: "scores of several random seeds",
}


# --- what is independent ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Data:
    """A board by what its tests take as independent."""

    units: str
    n_units: int
    fewest: int  # units of which there is a test
    population: str
    separate: Callable[[], Separation]
    # The difference of two models, and its p without others
    alone: Callable[[int, int], tuple[Estimate, float]]
    effective: float = math.inf  # how many units of equal size say as much

    @property
    def refusal(self) -> str:
        """Why nothing is tested, and what is needed; else empty."""
        if self.n_units >= self.fewest:
            return ""
        p = ""
        if self.fewest == FEWEST_GROUPS and self.n_units > 1:
            least = f"{least_sign_flip_p(self.n_units):.2f}".removeprefix("0")
            p = f": the least possible p is {least}"
        what = counted(self.n_units, self.units)
        return f"{what} cannot separate models for {self.population}{p}. {self.fewest} are needed."

    @property
    def warnings(self) -> list[str]:
        if self.refusal or self.effective >= self.fewest:
            return []
        return [
            f"The {self.n_units} {self.units}s differ so much in size that they count as {self.effective:.1f} equal "
            "ones. Few differences can be found."
        ]


def _data_of(board: Board, population: str) -> _Data | None:
    """None where the files hold nothing of the kind."""
    if population == SEEDS:
        return _by_seeds(board) if any(map(len, board.seeds)) else None
    if population == ITEMS:
        if len(board.items) == 1:
            units = np.arange(len(board.items[0]))
            return _by_groups(board.sign * board.items[0], units, "item", "new items of this task")
        return _by_items(board) if board.items else None
    if board.items and board.item_groups:
        kind = "new groups of items of this kind"
        return _by_groups(board.sign * board.items[0], numbered(board.item_groups), "group", kind)
    sources = [own or (task,) for own, task in zip(board.groups, board.tasks, strict=True)]
    group = independent_units(sources)
    is_grouped = group.max() + 1 < len(group)
    kind = "new groups of tasks of this kind" if is_grouped else "new tasks of this kind"
    return _by_groups(board.sign * board.shown, group, "group" if is_grouped else "task", kind)


def _by_groups(scores: np.ndarray, group: np.ndarray, units: str, population: str) -> _Data:
    """Sign flips over groups of tasks, or over the items of one task."""

    def alone(a: int, b: int) -> tuple[Estimate, float]:
        both = scores[:, [a, b]]
        return estimate_of(both, group), p_alone(both, group)

    sizes = np.bincount(group)
    return _Data(
        *(units, len(sizes), FEWEST_GROUPS, population),
        lambda: separate(scores, group),
        alone,
        effective_clusters(sizes),
    )


def _by_items(board: Board) -> _Data:
    """Paired t over the items of several tasks."""
    items = [board.sign * own for own in board.items]
    n = sum(map(len, items))

    def alone(a: int, b: int) -> tuple[Estimate, float]:
        both = [own[:, [a, b]] for own in items]
        first, second = np.mean([own.mean(axis=0) for own in both], axis=0)
        return _estimate(first - second, item_errors(both), n), separate_items(both).p[0, 1]

    population = "new items of these tasks"
    return _Data("item", n, FEWEST_VALUES, population, lambda: separate_items(items), alone)


def _by_seeds(board: Board) -> _Data:
    """Welch's t over trainings with several random seeds."""
    means = [board.sign * own for own in board.seeds]

    def alone(a: int, b: int) -> tuple[Estimate, float]:
        both = [means[a], means[b]]
        n = min(map(len, both))
        difference = means[a].mean() - means[b].mean()
        return _estimate(difference, seed_errors(both), n, FEWEST_SEEDS), separate_seeds(both).p[0, 1]

    n, population = min(map(len, means)), "new seeds on these tasks"
    return _Data("seed", n, FEWEST_SEEDS, population, lambda: separate_seeds(means), alone)


def _estimate(
    difference: float, errors: tuple[np.ndarray, np.ndarray], n: int, fewest: int = FEWEST_GROUPS
) -> Estimate:
    (error,), (freedom,) = errors
    return Estimate(float(difference), float(error), float(freedom), n, fewest)


# --- what is said ----------------------------------------------------------------------------------------------


def _standing(board: Board, data: _Data, options: Options, notes: Sequence[str] = ()) -> Standing:
    n = len(board.models)
    refusal = data.refusal
    if n == 1:
        refusal = "Only one model has a score on every task, so that nothing is compared."
    found = _nothing(n) if refusal else data.separate()
    marked = (None if refusal else letters(found.separated)) or [""] * n
    limits = np.stack([found.low, found.high, found.board_low, found.board_high], axis=1)
    places = [
        Place(
            place=at + 1,
            model=board.models[at],
            mean=float(board.values[at]),
            own_low=low,
            own_high=high,
            board_low=board_low,
            board_high=board_high,
            tied_for_first=low == 1,
            better_than_all_from=_better_from(found.better[at], at),
            letters=marked[at],
        )
        for at, (low, high, board_low, board_high) in enumerate(limits.tolist())
    ]
    named = [] if refusal else [_named(a, b, board, data, found) for a, b in options.separate]
    return Standing(
        title=options.title,
        board=board,
        places=tuple(places),
        population=data.population,
        units=data.units,
        n_units=data.n_units,
        separation=found,
        refusal=refusal,
        named=tuple(named),
        notes=(*notes, *board.notes),
    )


def _nothing(n_models: int) -> Separation:
    """Nothing tested: every place is open."""
    first, last = np.ones(n_models, int), np.full(n_models, n_models)
    apart = np.zeros((n_models, n_models), np.int8)
    return Separation(np.ones(apart.shape), apart, first, last, first, last, math.nan, math.nan)


def _better_from(better: np.ndarray, at: int) -> int | None:
    """The first place, from 1, from which on a model is better than all."""
    open_ones = np.flatnonzero(better[at + 1 :] != 1)
    start = at + 1 + (int(open_ones[-1]) + 1 if len(open_ones) else 0)
    return start + 1 if start < len(better) else None


def _named(a: str, b: str, board: Board, data: _Data, found: Separation) -> Named:
    i, j = board.models.index(a), board.models.index(b)
    estimate, p = data.alone(i, j)
    p_board = float(found.p[i, j])
    alone = on_board = math.nan
    if abs(estimate.difference) >= estimate.error > 0:
        alone = estimate.needed(estimate.difference)
        on_board = estimate.needed_on_board(found.critical, found.typical)
    low, high = sorted(board.sign * limit for limit in estimate.interval())
    if p_board <= ALPHA:
        said = f"This board separates the two with its {counted(estimate.n, data.units)}."
    elif math.isnan(alone):
        said = _no_number(estimate, board, data.units)
    elif p <= ALPHA:
        said = (
            "Tested alone, the two are separated. If the observed difference is true, "
            f"{_more(on_board, estimate.n, data.units)} separate them among all pairs of this board four times out of "
            "five."
        )
    else:
        fewest = estimate.needed(max(map(abs, estimate.interval())))
        suffice = f"; the {estimate.n:,} may already suffice" if fewest <= estimate.n else ""
        said = (
            f"If the observed difference is true, {_more(alone, estimate.n, data.units)} find it four times out of "
            f"five. No difference inside the interval needs fewer than {fewest:,}{suffice}."
        )
    return Named(a, b, board.sign * estimate.difference, low, high, p, p_board, said, alone, on_board)


def _no_number(estimate: Estimate, board: Board, units: str) -> str:
    """Of a difference that is below its error, or always the same."""
    difference, error = (decimal(abs(one), board.digits) for one in (estimate.difference, estimate.error))
    if estimate.error == 0:
        return f"The difference ({difference}) does not vary, so that no number follows."
    points = {PERCENT: (1.0, "1 point"), FRACTION: (0.01, "0.01")}
    point, called = points.get(board.unit, (1.0, "a difference of 1"))
    return (
        f"The difference ({difference}) is below its error ({error}): no number follows. For {called}: "
        f"{estimate.needed(point):,} {units}s."
    )


def _more(needed: float, n: int, units: str) -> str:
    """``90 tasks (49 more)``."""
    return f"{needed:,} {units}s" + (f" ({needed - n:,} more)" if needed > n else "")
