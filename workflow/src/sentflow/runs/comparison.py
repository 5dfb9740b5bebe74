"""The answer to "did the other run give the same results": counts per kind, what differs, the first cause."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.errors import DataError
from sentflow.runs.causes import Cause, Chain, first_of
from sentflow.runs.differences import ResultDifference, headline, only_in, result_difference
from sentflow.runs.folder import KINDS, ResultsFolder


@dataclass(frozen=True)
class Comparison:
    """Two runs, compared with each other."""

    tolerance: float  # of values but losses
    differences: Sequence[ResultDifference]  # of every result that both have, in order of their names
    # causes: name of a result that differs, within the tolerance or beyond → the first cause
    causes: Mapping[str, Cause]
    # only_a, only_b: results that one side alone has
    only_a: Sequence[str]
    only_b: Sequence[str]
    # settings, versions: of the runs, as far as both have a record: key → both
    settings: Mapping[str, tuple[Any, Any]]
    versions: Mapping[str, tuple[Any, Any]]
    headlines: Mapping[str, tuple[float | None, float | None]]  # name of a result → its score in both

    @property
    def outside(self) -> list[ResultDifference]:
        """Results that differ by more than the tolerance, the largest difference of a score first."""
        found = [each for each in self.differences if not each.is_within]
        return sorted(found, key=lambda each: (-self.size(each.name), each.name))

    @property
    def cause(self) -> Cause | None:
        """The first in the chain of what differs beyond the tolerance, else of what differs within it."""
        beyond = {each.name: self.causes[each.name] for each in self.outside}
        return first_of(beyond or self.causes)

    @property
    def is_equal(self) -> bool:
        """All common results are equal within the tolerance."""
        return not self.outside

    def size(self, name: str) -> float:
        """Absolute difference of the scores of a result; infinite where one side has none."""
        a, b = self.headlines[name]
        return abs(b - a) if a is not None and b is not None else 0.0 if a is b else math.inf

    def of_kind(self, kind: str) -> list[ResultDifference]:
        """The results of a kind."""
        return [each for each in self.differences if each.name.startswith(f"{kind}/")]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "equal": self.is_equal,
            "tolerance": self.tolerance,
            "first_cause": None if self.cause is None else vars(self.cause),
            "kinds": {kind: self._counts(kind) for kind in KINDS if self.of_kind(kind)},
            "only_a": list(self.only_a),
            "only_b": list(self.only_b),
            "settings": {key: list(sides) for key, sides in self.settings.items()},
            "versions": {key: list(sides) for key, sides in self.versions.items()},
            "differences": [self._difference(each) for each in self.differences if not each.is_equal],
        }

    def _counts(self, kind: str) -> dict[str, int]:
        found = self.of_kind(kind)
        n_equal, n_outside = sum(each.is_equal for each in found), sum(not each.is_within for each in found)
        return {"results": len(found), "equal": n_equal, "outside": n_outside}

    def _difference(self, each: ResultDifference) -> dict[str, Any]:
        return {
            "result": each.name,
            "within": each.is_within,
            "score": list(self.headlines[each.name]),
            "values": {value.key: [value.a, value.b] for value in each.values},
            "about": {key: list(sides) for key, sides in each.about.items()},
            "folds": [
                {"repetition": r, "fold": f, "score": list(sides)} for (r, f), sides in each.folds.items()
            ],
            "first_cause": vars(self.causes[each.name]),
        }


def compare_folders(a: ResultsFolder, b: ResultsFolder, *, tolerance: float) -> Comparison:
    """Hold the results of two runs against each other."""
    if not a.results.keys() & b.results.keys():
        raise DataError(
            f"{a.path} and {b.path} have no result in common. They are results of other tasks, pair sets or encoders."
        )
    chain = Chain(a, b)
    names = sorted(a.results.keys() & b.results.keys())
    differences = [result_difference(a, b, name, tolerance=tolerance) for name in names]
    scores = {name: headline(a.results[name]) for name in names}
    return Comparison(
        tolerance,
        differences,
        {each.name: chain.cause(each) for each in differences if not each.is_equal},
        only_in(a, b),
        only_in(b, a),
        chain.settings,
        chain.versions,
        {
            name: (a.results[name].numbers.get(key), b.results[name].numbers.get(key))
            for name, key in scores.items()
        },
    )
