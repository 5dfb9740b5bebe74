"""The answer to "did the other run give the same results": what differs, by how much, and the first cause."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.errors import DataError
from sentflow.runs.causes import Cause, Chain, first_of
from sentflow.runs.folder import HEADLINES, KINDS, Fold, ResultsFolder, changed

# Last digits of losses move further than those of scores (docs/reproducibility.md).
LOSS_TOLERANCE = 1e-3
_LOSS = "loss"

Sides = tuple[float | None, float | None]


@dataclass(frozen=True)
class Difference:
    """A result that both runs have, with what differs."""

    name: str
    score: Sides
    values: Mapping[str, Sides]  # not equal to the last bit; the score first, then the largest difference
    about: Mapping[str, tuple[Any, Any]]  # what was measured, where that differs: key → both
    folds: Mapping[Fold, Sides]  # those whose test scores differ; None where a side lacks the fold
    n_folds: int  # of both sides together
    is_within: bool  # nothing differs but values, and these by no more than the tolerance
    cause: Cause | None  # the first; None where nothing differs

    @property
    def is_equal(self) -> bool:
        """Every number and every setting is the same."""
        return self.cause is None

    @property
    def size(self) -> float:
        """Absolute difference of the scores; infinite where one side has none."""
        return _size(self.score)

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        folds = [{"repetition": r, "fold": f, "score": sides} for (r, f), sides in self.folds.items()]
        told = {"result": self.name, "within": self.is_within, "score": self.score, "values": self.values}
        told |= {"about": self.about, "folds": folds}
        return told | {"first_cause": self.cause and self.cause._asdict()}


@dataclass(frozen=True)
class Comparison:
    """Two runs, compared with each other."""

    tolerance: float  # of values but losses
    differences: Sequence[Difference]  # of every result that both have, in order of their names
    # only_a, only_b: results that one side alone has
    only_a: Sequence[str]
    only_b: Sequence[str]
    # settings, versions: of the runs, as far as both have a record: key → both
    settings: Mapping[str, tuple[Any, Any]]
    versions: Mapping[str, tuple[Any, Any]]

    @property
    def outside(self) -> list[Difference]:
        """Results that differ by more than the tolerance, the largest difference of a score first."""
        beyond = [each for each in self.differences if not each.is_within]
        return sorted(beyond, key=lambda each: (-each.size, each.name))

    @property
    def cause(self) -> Cause | None:
        """The first in the chain of what differs beyond the tolerance, else of what differs within it."""
        return first_of(each.cause for each in self.outside or self.differences)

    def counts(self) -> dict[str, dict[str, Any]]:
        """Kind of results → how many there are, are equal to the last bit or outside, and the largest difference."""
        of_kinds = {
            kind: [one for one in self.differences if one.name.startswith(f"{kind}/")] for kind in KINDS
        }
        return {
            kind: {
                "results": len(each),
                "equal": sum(one.is_equal for one in each),
                "outside": sum(not one.is_within for one in each),
                "largest": max(one.size for one in each),
            }
            for kind, each in of_kinds.items()
            if each
        }

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        kinds = {
            kind: {key: n for key, n in counts.items() if key != "largest"}
            for kind, counts in self.counts().items()
        }
        return {
            "equal": not self.outside,
            "tolerance": self.tolerance,
            "first_cause": self.cause and self.cause._asdict(),
            "kinds": kinds,
            **{name: getattr(self, name) for name in ("only_a", "only_b", "settings", "versions")},
            "differences": [each.to_json() for each in self.differences if not each.is_equal],
        }


def compare_folders(a: ResultsFolder, b: ResultsFolder, *, tolerance: float) -> Comparison:
    """Compare the results of two runs."""
    names = sorted(a.results.keys() & b.results.keys())
    if not names:
        raise DataError(
            f"{a.path} and {b.path} have no result in common. They are results of other tasks, pair sets or encoders."
        )
    chain = Chain(a, b)
    return Comparison(
        tolerance,
        [_difference(a, b, name, chain, tolerance) for name in names],
        sorted(a.results.keys() - b.results.keys()),
        sorted(b.results.keys() - a.results.keys()),
        chain.settings,
        chain.versions,
    )


def _difference(a: ResultsFolder, b: ResultsFolder, name: str, chain: Chain, tolerance: float) -> Difference:
    one, other = a.results[name], b.results[name]
    differing = changed(one.numbers, other.numbers)
    both = one.numbers.keys() & other.numbers.keys()
    # a value that one side lacks is a difference in what was measured
    about = changed(one.about, other.about) | {
        key: (one.numbers.get(key), other.numbers.get(key))
        for key in one.numbers.keys() ^ other.numbers.keys()
    }
    of_both = [(key, sides) for key, sides in differing.items() if key in both]
    values = dict(sorted(of_both, key=_headline_first))
    folds_a, folds_b = a.folds(name), b.folds(name)
    folds, n_folds = changed(folds_a, folds_b), len({*folds_a, *folds_b})
    sizes = [(_size(sides), tolerance) for sides in folds.values()]
    of_losses = max(tolerance, LOSS_TOLERANCE)
    sizes += [(_size(sides), of_losses if _LOSS in key else tolerance) for key, sides in values.items()]
    is_within = not about and all(size <= most for size, most in sizes)
    cause = chain.cause(name, about) if values or about or folds else None
    score = (one.score, other.numbers.get(one.headline))
    return Difference(name, score, values, about, folds, n_folds, is_within, cause)


def _size(sides: Sides) -> float:
    """Absolute difference; infinite where one of the two is undefined."""
    a, b = sides
    if a is None or b is None:
        return 0.0 if a is b else math.inf
    return abs(b - a)


def _headline_first(value: tuple[str, Sides]) -> tuple[int, float, str]:
    key, sides = value
    return HEADLINES.index(key) if key in HEADLINES else len(HEADLINES), -_size(sides), key
