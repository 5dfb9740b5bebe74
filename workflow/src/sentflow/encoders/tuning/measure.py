"""Times of programs in turn, and how far vectors are from others."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sentflow.encoders.protocol import FloatArray
from sentflow.encoders.vectors.unit_rows import unit_rows

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Timing:
    """Seconds of one program, round by round; at least one."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """In seconds."""
        return float(np.median(self.seconds))

    @property
    def spread(self) -> float:
        """The middle half of the rounds lies in so many seconds."""
        low, high = np.percentile(self.seconds, (25, 75))
        return float(high - low)


@dataclass(frozen=True)
class Difference:
    """Between vectors and those that they stand for, both scaled to length 1."""

    value: float  # the largest of one value
    cosine: float  # the lowest of one text


def in_turn(
    programs: Mapping[Name, Callable[[], object]], *, n_rounds: int, clock: Callable[[], float]
) -> dict[Name, Timing]:
    """Time programs in rounds, each round all of them, so that a slow minute of the machine meets all alike.

    `n_rounds`: at least 1. `clock`: seconds since any moment: of the clock on the wall, or of the processor.
    """
    seconds: dict[Name, list[float]] = {name: [] for name in programs}
    for number in range(n_rounds):
        order = list(programs)[:: 1 if number % 2 == 0 else -1]
        for name in order:
            start = clock()
            programs[name]()
            seconds[name].append(clock() - start)
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}


def difference(vectors: FloatArray, plain: FloatArray) -> Difference:
    """How far (n, d) vectors are from the (n, d) plain ones, n >= 1."""
    ours, theirs = (unit_rows(array.astype(np.float64)) for array in (vectors, plain))
    return Difference(
        value=float(np.abs(ours - theirs).max()), cosine=float((ours * theirs).sum(axis=1).min())
    )
