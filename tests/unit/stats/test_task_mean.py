"""The interval of a mean over tasks: of one task the known one, and wider where tasks may share texts."""

import math

import numpy as np
import pytest

from sentflow.stats.across import task_mean_interval
from sentflow.stats.paired import CorrectedT

FOLDS, LEVEL = 5, 0.95


def scores_of(seed: int, *, mean: float = 0.5, n: int = 50) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 0.05, n)


def limits(tasks, sources, documents=None):
    kept = documents or [math.inf] * len(tasks)
    tests = [CorrectedT(scores, FOLDS, n) for scores, n in zip(tasks, kept, strict=True)]
    mean = float(np.mean([test.mean for test in tests]))
    errors, freedom = [test.error for test in tests], [test.freedom for test in tests]
    return task_mean_interval(mean, errors, freedom, sources, level=LEVEL)


def test_of_one_task_it_is_the_generalisation_interval():
    scores = scores_of(1)
    assert limits([scores], ["a"]) == pytest.approx(CorrectedT(scores, FOLDS).interval(LEVEL))


def test_errors_of_one_source_are_added_and_of_several_their_squares():
    tasks = [scores_of(seed, mean=0.1 * seed) for seed in (1, 2, 3)]
    errors = [scores.std(ddof=1) * math.sqrt(1 / 50 + 1 / 4) for scores in tasks]
    low, high = limits(tasks, ["a", "a", "b"])
    assert (low + high) / 2 == pytest.approx(np.mean([scores.mean() for scores in tasks]))
    together, apart = (errors[0] + errors[1]) ** 2, errors[2] ** 2
    freedom = (together + apart) ** 2 / (together**2 / 49 + apart**2 / 49)
    quantile = np.quantile(np.random.default_rng(0).standard_t(freedom, 400_000), 0.975)
    assert (high - low) / 2 == pytest.approx(quantile * math.sqrt(together + apart) / 3, rel=0.02)


def test_too_few_documents_of_any_task_leave_no_interval():
    tasks = [scores_of(1), scores_of(2)]
    assert all(math.isnan(limit) for limit in limits(tasks, ["a", "b"], [math.inf, 3.0]))


def test_equal_scores_have_no_width():
    assert limits([np.full(50, 0.25), np.full(50, 0.75)], ["a", "b"]) == pytest.approx((0.5, 0.5))
