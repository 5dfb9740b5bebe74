import math

import numpy as np
import pytest

from sentflow.stats.effective import FEWEST_DOCUMENTS, Documents
from sentflow.stats.paired import CorrectedT


def scores_of(n: int) -> np.ndarray:
    return np.random.default_rng(n).normal(0.4, 0.05, n)


# Half-widths in units of the standard deviation s, from t and the ratio alone:
# 2.6800 · √(1/50 + 1/4) = 1.3925 for 10 × 5 folds at 99 %
@pytest.mark.parametrize(
    ("n", "folds", "level", "half_width"),
    [(50, 5, 0.99, 1.3925), (25, 5, 0.95, 1.1114), (100, 10, 0.99, 0.9140)],
)
def test_half_width_is_that_of_the_corrected_t_interval(n, folds, level, half_width):
    scores = scores_of(n)
    found = CorrectedT(scores, folds)
    low, high = found.interval(level)
    std = scores.std(ddof=1)
    assert (high - scores.mean()) / std == pytest.approx(half_width, abs=6e-5)
    assert (scores.mean() - low) / std == pytest.approx(half_width, abs=6e-5)
    assert not found.degenerate


@pytest.mark.parametrize("value", [0.0, 0.1])  # the mean of fifty 0.1 is rounded away from 0.1
def test_equal_scores_have_a_flagged_interval_of_no_width(value):
    found = CorrectedT(np.full(50, value), 5)
    assert (found.interval(0.99), found.degenerate) == ((value, value), True)


def test_interval_covers_the_truth_as_often_as_it_says():
    """Folds that share their training rows: scores correlate by 1/k, as Nadeau and Bengio suppose."""
    generator = np.random.default_rng(0)
    covered, n = 0, 2000
    for _ in range(n):
        shared = generator.normal(0, math.sqrt(0.2))
        scores = shared + generator.normal(0, math.sqrt(0.8), 50)
        low, high = CorrectedT(scores, 5).interval(0.95)
        covered += low <= 0 <= high
    assert covered / n == pytest.approx(0.95, abs=0.02)


def test_few_documents_leave_few_degrees_of_freedom():
    scores = scores_of(50)
    _, high = CorrectedT(scores, 5, 8.0).interval(0.95)
    # t(0.975; 7) = 2.3646
    assert (high - scores.mean()) / scores.std(ddof=1) == pytest.approx(2.3646 * 0.27**0.5, abs=6e-5)


def test_too_few_documents_have_no_interval():
    assert np.isnan(CorrectedT(scores_of(50), 5, FEWEST_DOCUMENTS - 0.1).interval(0.95)).all()


def test_half_of_the_rows_in_one_document_are_less_than_four_effective_ones():
    found = Documents.of(np.array([0] * 100 + list(range(1, 101))), np.arange(200) % 2)
    assert (found.n, found.effective) == (101, pytest.approx(200**2 / (100**2 + 100)))


def test_rows_that_undersampling_leaves_out_make_no_documents():
    rare = np.repeat([0, 1, 2], 100)  # three documents hold all rows of one class
    found = Documents.of(np.concatenate([rare, 3 + np.arange(1000)]), np.repeat([1, 0], [300, 1000]))
    assert (found.n, found.with_rarest_class) == (1003, 3)
    assert found.effective == pytest.approx(2**2 / (3 / 9 + 1000 / 1000**2))
