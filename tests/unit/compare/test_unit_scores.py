"""Rows of comparisons get marks."""

from dataclasses import dataclass

from sentflow.compare.marks import BEST, NOT_WORSE, beaten, mark


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


def row(a: str, b: str, value_a: float, value_b: float, p: float) -> QuestionRow:
    return QuestionRow("q", a, b, value_a, value_b, value_a - value_b, p, p, 0.05)


def test_tests_mark_the_best_what_is_not_worse_and_nothing_else():
    rows = [row("a", "b", 0.3, 0.5, 0.01), row("a", "c", 0.3, 0.49, 0.02), row("b", "c", 0.5, 0.49, 0.6)]
    assert [mark(rows, "q", name) for name in "abc"] == ["", BEST, NOT_WORSE]
    assert beaten(rows, "q", "b") == ["a"]


def test_of_two_equal_best_ones_both_count():
    rows = [row("a", "b", 0.5, 0.5, 1.0), row("a", "c", 0.5, 0.4, 0.2), row("b", "c", 0.5, 0.4, 0.01)]
    assert [mark(rows, "q", name) for name in "abc"] == [BEST, BEST, ""]  # worse than one of the best
