"""Where the models of a board stand: ranks with intervals, who is tied for first, who is separated from whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sentflow.report.claims import Claim


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
    sentence: str  # how many more units would separate the two: one of the three sentences


@dataclass(frozen=True)
class Standing:
    """A board."""

    title: str
    places: tuple[Place, ...]  # best first; empty where `refusal` says why
    population: (
        str  # what the tests hold for: ``"new tasks of this kind"``, ``"new items of these tasks"``, …
    )
    units: str  # what is independent: ``"task"``, ``"group"``, ``"item"``, ``"seed"``
    n_units: int
    tasks: tuple[str, ...]
    scores: np.ndarray  # (T, M) float64 means of tasks by model, in the order of `places`
    p: np.ndarray  # (M, M) float64 adjusted p, symmetric, 1 on the diagonal
    separated: np.ndarray  # (M, M) bool, symmetric
    brackets: tuple[
        tuple[int, int], ...
    ] = ()  # runs of places (from 0, both ends in) without a separated pair
    least: float = float("nan")  # the least difference of means that this board could separate
    refusal: str = ""  # why nothing is tested, and what is needed; else empty
    unranked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # model → tasks that it lacks
    named: tuple[Named, ...] = ()
    notes: tuple[str, ...] = ()  # warnings and what readers did, one sentence each
    level: float = 0.95
    digits: int = 2

    def verdict(self) -> Claim:
        """One line: how many are tied for first place, how many neighbours are not separated."""
        raise NotImplementedError
