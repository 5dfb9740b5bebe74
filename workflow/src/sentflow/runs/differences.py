"""Two results folders: which numbers, folds, settings and versions differ, and by how much."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sentflow.runs.folder import Fold, Result, ResultsFolder

# Last digits of losses move further than those of scores (docs/reproducibility.md).
LOSS_TOLERANCE = 1e-3
_LOSS = "loss"
# What a reader calls the score of a file, if it has it.
_HEADLINES = (
    *("mean", "scores.cosine.all.spearman", "scores.overlap.all.spearman", "pearson", "alignment"),
    "measures.nDCG@10.mean",
)


@dataclass(frozen=True)
class ValueDifference:
    """One value of a result; `size` is infinite where one of the two is undefined."""

    key: str
    a: float | None
    b: float | None

    @property
    def size(self) -> float:
        """Absolute difference."""
        if self.a is None or self.b is None:
            return 0.0 if self.a is self.b else math.inf
        return abs(self.b - self.a)


@dataclass(frozen=True)
class ResultDifference:
    """A result that both folders have, with what differs."""

    name: str
    # values: those that are not equal to the last bit; the score first, then the largest difference
    values: tuple[ValueDifference, ...]
    about: Mapping[str, tuple[Any, Any]]  # what was measured, where that differs: key → both
    # folds: those whose test scores differ: repetition and fold → both; a fold that one side lacks has None
    folds: Mapping[Fold, tuple[float | None, float | None]]
    n_folds: int  # of both sides together
    is_within: bool  # nothing differs but values, and these by no more than the tolerance

    @property
    def is_equal(self) -> bool:
        """Every number and every setting is the same."""
        return not self.values and not self.about and not self.folds


def changed(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Keys whose values differ → both values; None where a side lacks the key."""
    return {key: (a.get(key), b.get(key)) for key in sorted({*a, *b}) if a.get(key) != b.get(key)}


def result_difference(a: ResultsFolder, b: ResultsFolder, name: str, *, tolerance: float) -> ResultDifference:
    """What differs in a result that both folders have."""
    one, other = a.results[name], b.results[name]
    about = changed(one.about, other.about)
    keys = one.numbers.keys() & other.numbers.keys()
    # a value that one side lacks is a difference in what was measured
    about |= {
        key: (one.numbers.get(key), other.numbers.get(key))
        for key in one.numbers.keys() ^ other.numbers.keys()
    }
    values = [ValueDifference(key, one.numbers[key], other.numbers[key]) for key in keys]
    differing = sorted((each for each in values if each.size > 0), key=_headline_first)
    folds_a, folds_b = a.folds(name), b.folds(name)
    folds = {
        fold: (folds_a.get(fold), folds_b.get(fold))
        for fold in sorted({*folds_a, *folds_b})
        if folds_a.get(fold) != folds_b.get(fold)
    }
    are_near = all(ValueDifference("", *both).size <= tolerance for both in folds.values())
    is_within = (
        not about and are_near and all(each.size <= _allowed(each.key, tolerance) for each in differing)
    )
    return ResultDifference(name, tuple(differing), about, folds, len({*folds_a, *folds_b}), is_within)


def only_in(a: ResultsFolder, b: ResultsFolder) -> list[str]:
    """Results that the first folder has and the second lacks."""
    return sorted(a.results.keys() - b.results.keys())


def headline(result: Result) -> str:
    """The value that a reader calls the score of a result; empty if it has none of those names."""
    return next((key for key in _HEADLINES if key in result.numbers), "")


def _headline_first(value: ValueDifference) -> tuple[int, float, str]:
    place = _HEADLINES.index(value.key) if value.key in _HEADLINES else len(_HEADLINES)
    return place, -value.size, value.key


def _allowed(key: str, tolerance: float) -> float:
    return max(tolerance, LOSS_TOLERANCE) if _LOSS in key else tolerance
