"""The one comparison: a family that hands over unit scores gets rows, and rows get marks."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from sentflow.compare.marks import BEST, NOT_WORSE, beaten, mark
from sentflow.compare.unit_scores import all_differences
from sentflow.stats.multiplicity import holm
from sentflow.stats.resampling import drawn_counts


@dataclass(frozen=True)
class QuestionRow:
    """Two retrievers on a set of questions."""

    unit_set: str
    model_a: str
    model_b: str
    value_a: float
    value_b: float
    difference: float
    p: float
    p_holm: float
    alpha: float


@dataclass(frozen=True)
class QuestionScores:
    """A family that does not exist yet: the mean of a score per question."""

    scores: dict[str, np.ndarray]

    @property
    def n_systems(self) -> int:
        return len(self.scores)

    def replicates(self) -> np.ndarray:
        values = np.stack(list(self.scores.values()), axis=1)
        counts = drawn_counts([np.arange(len(values))], n_resamples=500, seed=1, dtype=np.float64)
        return np.concatenate([block @ values / len(values) for block in counts])

    def test(self, a: int, b: int, resampled: np.ndarray) -> QuestionRow:
        names, means = list(self.scores), [float(values.mean()) for values in self.scores.values()]
        difference = means[a] - means[b]
        p = math.erfc(abs(difference) / float(resampled.std(ddof=1)) / math.sqrt(2))
        return QuestionRow("questions", names[a], names[b], means[a], means[b], difference, p, math.nan, 0.05)


@pytest.fixture
def rows() -> list[QuestionRow]:
    generator = np.random.default_rng(4)
    shared = generator.random(200)
    return all_differences(
        QuestionScores({name: shared + level + 0.1 * generator.normal(size=200)
                        for name, level in (("bm25", 0.0), ("dense", 0.2), ("fused", 0.201))})
    )  # fmt: skip


def test_every_two_systems_are_compared_in_order(rows):
    assert [(row.model_a, row.model_b) for row in rows] == [
        ("bm25", "dense"),
        ("bm25", "fused"),
        ("dense", "fused"),
    ]


def test_p_is_adjusted_for_all_of_them_together(rows):
    assert [row.p_holm for row in rows] == holm([row.p for row in rows])


def test_tests_mark_the_best_what_is_not_worse_and_nothing_else(rows):
    best, second = ("dense", "fused") if rows[2].difference > 0 else ("fused", "dense")
    assert [mark(rows, "questions", name) for name in (best, second, "bm25")] == [BEST, NOT_WORSE, ""]
    assert beaten(rows, "questions", best) == ["bm25"]


def test_of_two_equal_best_ones_both_count():
    def row(a, b, value_a, value_b, p):
        return QuestionRow("q", a, b, value_a, value_b, value_a - value_b, p, p, 0.05)

    rows = [row("a", "b", 0.5, 0.5, 1.0), row("a", "c", 0.5, 0.4, 0.2), row("b", "c", 0.5, 0.4, 0.01)]
    assert [mark(rows, "q", name) for name in "abc"] == [BEST, BEST, ""]  # worse than one of the best


def test_one_system_is_compared_with_none():
    assert all_differences(QuestionScores({"alone": np.zeros(3)})) == []
