"""Where the models of a board stand: ranks with intervals, who is tied for first, who is separated from whom."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sentflow.boards.board import Board, board_of
from sentflow.boards.scores import FRACTION, PERCENT, Scores
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
class Question:
    """What is asked of a board."""

    title: str = "Leaderboard"
    population: str = ""  # of `POPULATIONS`; empty for all that the data allow
    common: bool = False  # rank models with gaps too, each pair by the tasks that both have
    separate: tuple[
        tuple[str, str], ...
    ] = ()  # models of which is told how many units would separate the two


@dataclass(frozen=True)
class Place:
    """A model that has a score on every task."""

    model: str
    value: float  # the board's own mean
    # low, high: places that its own M - 1 pairs leave open (95 % for this model alone): the thick line
    low: int
    high: int
    # board_low, board_high: places that all pairs leave open (95 % for the whole board at once): the thin line
    board_low: int
    board_high: int
    letters: str = ""  # up to 20 models: those that share a letter are not separated
    better_from: int = 0  # the place from which on all are worse, tested; 0 for none

    @property
    def is_tied_for_first(self) -> bool:
        return self.low == 1


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
    needed_alone: float = math.nan
    needed_on_board: float = math.nan


@dataclass(frozen=True)
class Standing:
    """A board."""

    title: str
    # Best first, by the mean; where `refusal` says why nothing is tested, with every place open
    places: tuple[Place, ...]
    population: str  # that tests hold for: ``"new tasks of this kind"``, ``"new items of these tasks"``, …
    units: str  # what is independent: ``"task"``, ``"group"``, ``"item"``, ``"seed"``
    n_units: int
    tasks: tuple[str, ...]
    # (T, M) float64 means of tasks by model, in the order of `places`; NaN only where models with gaps are ranked
    scores: np.ndarray
    p: np.ndarray  # (M, M) float64 adjusted p, symmetric, 1 on the diagonal
    separated: np.ndarray  # (M, M) bool, symmetric
    # Runs of places, from 0 and with both ends, without a separated pair
    brackets: tuple[tuple[int, int], ...] = ()
    least: float = float("nan")  # the difference of means that a typical pair needs to be separated
    refusal: str = ""  # why nothing is tested, and what is needed; else empty
    unranked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # model → tasks that it lacks
    named: tuple[Named, ...] = ()
    notes: tuple[str, ...] = ()  # warnings and what readers did, one sentence each
    level: float = 1 - ALPHA
    digits: int = 2
    unit: str = ""  # of all scores: ``"percent"``, ``"fraction"``, or empty for another one
    higher_is_better: bool = True  # of the mean
    groups: tuple[str, ...] = ()  # of tasks, empty where nothing is said

    def verdict(self) -> Claim:
        """One line: how many are tied for first place, how many neighbours are not separated."""
        n = len(self.places)
        if self.refusal:
            return Claim("{refusal}", {"refusal": self.refusal})
        tied = [place for place in self.places if place.is_tied_for_first]
        values = {"least": self.difference(self.least)}
        can = (
            "A typical pair needs a difference of {least} to be separated."
            if math.isfinite(self.least)
            else "No difference is large enough for this board to separate two models."
        )
        if n == 2:  # noqa: PLR2004
            values |= {"first": self.places[0].model, "second": self.places[1].model}
            said = (
                "{first} is better than {second}"
                if len(tied) == 1
                else "{first} and {second} are not separated"
            )
            return Claim(f"For {self.population}, {said}. {can}", values)
        beside = int(np.diag(self.separated, 1).sum())
        values |= {"tied": f"{len(tied)} of {n} models", "open": f"{n - 1 - beside} of {n - 1} neighbours"}
        said = "{tied} are tied for first place"
        if len(tied) == 1:
            values["first"] = tied[0].model
            said = "{first} is better than all others"
        elif len(tied) == n:
            values["tied"] = f"all {n} models"
        return Claim(f"For {self.population}, {said}; {{open}} are not separated. {can}", values)

    @property
    def sign(self) -> float:
        """−1 where lower is better."""
        return 1.0 if self.higher_is_better else -1.0

    def difference(self, value: float) -> str:
        """A difference of scores in words: ``6.10 points`` of percentages."""
        return f"{decimal(value, self.digits)}{' points' if self.unit == PERCENT else ''}"

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


def standing_of(scores: Scores, question: Question | None = None) -> Standing:
    """The first of `standings_of`."""
    return standings_of(scores, question)[0]


def standings_of(scores: Scores, question: Question | None = None) -> tuple[Standing, ...]:
    """The models of a board in order, for each population that the data can say something of.

    `scores`: as `sentflow.boards.files.read_files` gives them. Where the data allow no test there is one standing, of
    which `refusal` says what is needed.

    Raises
    ------
    DataError
        If no model can be ranked, tasks have no common scale, or a model that was asked for is not ranked.
    """
    question = question or Question()
    if question.population not in ("", *POPULATIONS):
        raise DataError(f"--population {question.population}: {instead(question.population, POPULATIONS)}")
    board = board_of(scores, common=question.common)
    _refuse_unranked(board, question)
    data = {name: data for name in POPULATIONS if (data := _data_of(board, name)) is not None}
    chosen = [name for name in data if not data[name].refusal] or list(data)[-1:]
    if question.population:
        if question.population not in data:
            raise DataError(
                f"--population {question.population}: {_NO_DATA[question.population]} "
                f"The data allow: {', '.join(data)}."
            )
        chosen = [question.population]
    refused = [data[name].refusal for name in data if name not in chosen and data[name].refusal]
    return tuple(_standing(board, data[name], question, refused) for name in chosen)


def _refuse_unranked(board: Board, question: Question) -> None:
    for pair in question.separate:
        for name in pair:
            if name in board.unranked:
                lacks = listed(board.unranked[name], 5)
                raise DataError(f"--separate {name}: it lacks {lacks}. Compare common tasks with --common.")
            if name not in board.models:
                raise DataError(f"--separate {name}: there is no such model. {instead(name, board.models)}")
        if pair[0] == pair[1]:
            raise DataError(f"--separate {' '.join(pair)}: name two different models.")


_NO_DATA = {
    ITEMS: "this needs the score of every item, of at least two items per task, for models without gaps.",
    SEEDS: "this needs scores of several random seeds, for models without gaps.",
}


# --- what is independent ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Data:
    """A board by what its tests take as independent."""

    units: str
    n_units: int
    population: str
    refusal: str  # why nothing is tested, and what is needed; else empty
    separation: Callable[[], Separation]
    # The difference of two models, and its p without others
    alone: Callable[[int, int], tuple[Estimate, float]]
    warnings: tuple[str, ...] = ()


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
    n, effective = int(group.max()) + 1, effective_clusters(np.bincount(group))
    refusal, warnings = "", []
    if n < FEWEST_GROUPS:
        least = f"{least_sign_flip_p(n):.2f}".removeprefix("0")
        p = "" if n == 1 else f": the least possible p is {least}"
        refusal = (
            f"{counted(n, units)} cannot separate models for {population}{p}. {FEWEST_GROUPS} are needed."
        )
    elif effective < FEWEST_GROUPS:
        warnings = [
            f"The {n} {units}s differ so much in size that they count as {effective:.1f} equal ones. Few differences "
            "can be found.",
        ]

    def alone(a: int, b: int) -> tuple[Estimate, float]:
        both = scores[:, [a, b]]
        return estimate_of(both, group), p_alone(both, group)

    return _Data(
        units,
        n,
        population,
        refusal,
        lambda: separate(scores, group),
        alone,
        tuple(warnings),
    )


def _by_items(board: Board) -> _Data:
    """Paired t over the items of several tasks."""
    items = [board.sign * own for own in board.items]
    n, population = sum(map(len, items)), "new items of these tasks"
    few = f"{n} items cannot separate models for {population}. {FEWEST_VALUES} are needed."

    def alone(a: int, b: int) -> tuple[Estimate, float]:
        both = [own[:, [a, b]] for own in items]
        (error,), (freedom,) = item_errors(both)
        difference = np.mean([own[:, 0].mean() - own[:, 1].mean() for own in both])
        return Estimate(float(difference), float(error), float(freedom), n), separate_items(both).p[0, 1]

    return _Data(
        "item",
        n,
        population,
        few if n < FEWEST_VALUES else "",
        lambda: separate_items(items),
        alone,
    )


def _by_seeds(board: Board) -> _Data:
    """Welch's t over trainings with several random seeds."""
    means = [board.sign * own for own in board.seeds]
    n = min(map(len, means))
    few = f"{counted(n, 'seed')} per model show means only. {FEWEST_SEEDS} are needed for a test."

    def alone(a: int, b: int) -> tuple[Estimate, float]:
        both = [means[a], means[b]]
        (error,), (freedom,) = seed_errors(both)
        difference = float(both[0].mean() - both[1].mean())
        estimate = Estimate(difference, float(error), float(freedom), min(map(len, both)), FEWEST_SEEDS)
        return estimate, separate_seeds(both).p[0, 1]

    return _Data(
        "seed",
        n,
        "new seeds on these tasks",
        few if n < FEWEST_SEEDS else "",
        lambda: separate_seeds(means),
        alone,
    )


# --- what is said ----------------------------------------------------------------------------------------------


def _standing(board: Board, data: _Data, question: Question, refused: Sequence[str]) -> Standing:
    n = len(board.models)
    refusal = "" if n > 1 else "Only one model has a score on every task, so that nothing is compared."
    refusal = refusal or data.refusal
    found = _nothing(n) if refusal else data.separation()
    marked = (None if refusal else letters(found.separated)) or [""] * n
    places = tuple(
        Place(
            model,
            float(board.values[at]),
            int(found.low[at]),
            int(found.high[at]),
            int(found.board_low[at]),
            int(found.board_high[at]),
            marked[at],
            _better_from(found.better[at], at),
        )
        for at, model in enumerate(board.models)
    )
    standing = Standing(
        title=question.title,
        places=places,
        population=data.population,
        units=data.units,
        n_units=data.n_units,
        tasks=tuple(board.tasks),
        scores=board.shown,
        p=found.p,
        separated=found.separated,
        brackets=() if refusal else tuple(brackets(found.separated)),
        least=found.least,
        refusal=refusal,
        unranked=board.unranked,
        notes=(*data.warnings, *refused, *board.notes),
        digits={PERCENT: 2, FRACTION: 4}.get(board.unit, 3),
        unit=board.unit,
        higher_is_better=board.sign > 0,
        groups=tuple(board.groups),
    )
    named = tuple(_named(a, b, standing, data, found) for a, b in question.separate)
    return replace(standing, named=named) if not refusal else standing


def _nothing(n_models: int) -> Separation:
    """Nothing tested: every place is open."""
    first, last, apart = (
        np.ones(n_models, int),
        np.full(n_models, n_models),
        np.zeros((n_models,) * 2, np.int8),
    )
    return Separation(np.ones(apart.shape), apart, first, last, first, last, math.nan, math.nan)


def _better_from(better: np.ndarray, at: int) -> int:
    """The first place, from 1, from which on a model is better than all; 0 for none."""
    open_ones = np.flatnonzero(better[at + 1 :] != 1)
    start = at + 1 + (int(open_ones[-1]) + 1 if len(open_ones) else 0)
    return start + 1 if start < len(better) else 0


def _named(a: str, b: str, standing: Standing, data: _Data, found: Separation) -> Named:
    models = [place.model for place in standing.places]
    i, j = models.index(a), models.index(b)
    estimate, p = data.alone(i, j)
    p_board = float(found.p[i, j])
    is_known = abs(estimate.difference) >= estimate.error > 0
    needed = estimate.needed(estimate.difference) if is_known else math.nan
    on_board = estimate.needed_on_board(found.critical, found.typical) if is_known else math.nan
    low, high = sorted(standing.sign * limit for limit in estimate.interval())
    if p_board <= ALPHA:
        sentence = f"This board separates the two with its {counted(estimate.n, data.units)}."
    elif p <= ALPHA and is_known:
        sentence = (
            "Tested alone, the two are separated. If the observed difference is true, "
            f"{_units(on_board, estimate.n, data.units)} separate them among all pairs of this board four times out of "
            "five."
        )
    else:
        sentence = _needs(estimate, needed, standing, data.units)
    return Named(a, b, standing.sign * estimate.difference, low, high, p, p_board, sentence, needed, on_board)


def _needs(estimate: Estimate, needed: float, standing: Standing, unit: str) -> str:
    """How many units separate two models that are named beforehand."""
    if math.isnan(needed):
        point = {PERCENT: 1.0, FRACTION: 0.01}.get(standing.unit, 1.0)
        said = f"{decimal(abs(estimate.difference), standing.digits)}"
        if estimate.error == 0:
            return f"The difference ({said}) does not vary, so that no number follows."
        called = {PERCENT: "1 point", FRACTION: "0.01"}.get(standing.unit, "a difference of 1")
        return (
            f"The difference ({said}) is below its error ({decimal(estimate.error, standing.digits)}): no number "
            f"follows. For {called}: {_many(estimate.needed(point), unit)}."
        )
    edge = max(map(abs, estimate.interval()))
    fewest = estimate.needed(edge)
    suffice = f"; the {estimate.n:,} may already suffice" if fewest <= estimate.n else ""
    return (
        f"If the observed difference is true, {_units(needed, estimate.n, unit)} find it four times out of five. "
        f"No difference inside the interval needs fewer than {fewest:,}{suffice}."
    )


def _units(needed: float, n: int, unit: str) -> str:
    """``90 tasks (49 more)``."""
    more = f" ({needed - n:,} more)" if needed > n else ""
    return f"{_many(needed, unit)}{more}"


def _many(n: float, what: str) -> str:
    return f"{n:,} {what}s"
