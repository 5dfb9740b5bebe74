"""Intervals and tests on simulated cross-validations: how often they are right.

The short form of benchmarks/interval_coverage.py: 1,500 data sets, so that a true rate of 99.2 % is seen
with a standard error of 0.23 points and one of 2 % with 0.36.
"""

import numpy as np
import pytest

from sentflow.stats.generalisation import nadeau_bengio_interval
from sentflow.stats.paired import CorrectedT
from sentflow.stats.repeatability import published_intervals
from simulated_probes import World, samples, true_scores

pytestmark = pytest.mark.slow

N_SETS = 1500
WORLD = World(240, (1.0, 1.0))


@pytest.fixture(scope="module")
def simulated() -> list[np.ndarray]:
    """Scores of two equal encoders, (50, 2) per data set."""
    return [sample.scores for sample in samples(WORLD, n_sets=N_SETS, seed=7)]


@pytest.fixture(scope="module")
def truth() -> float:
    return float(true_scores(World(WORLD.n_rows, WORLD.separations[:1]), n_sets=5000, seed=7)[0])


def test_simulated_scores_are_where_the_truth_is(simulated, truth):
    """Else coverage would show an error of the simulation, not of the interval."""
    means = np.array([scores.mean() for scores in simulated])
    assert means.mean() == pytest.approx(truth, abs=4 * means.std() / N_SETS**0.5 + 0.005)
    assert 0.2 < truth < 0.4


def test_generalisation_interval_covers_the_truth(simulated, truth):
    intervals = [nadeau_bengio_interval(scores[:, 0], folds=5, level=0.99) for scores in simulated]
    covered = np.mean([interval.low <= truth <= interval.high for interval in intervals])
    assert 0.985 <= covered <= 0.999


def test_published_interval_does_not(simulated, truth):
    """Else the simulation has no dependence between folds, and shows nothing about the other interval."""
    some = [scores[:, 0] for scores in simulated[:300]]
    intervals = [published_intervals([one], seed=1, n_resamples=500, level=0.99)[0] for one in some]
    covered = np.mean([interval.low <= truth <= interval.high for interval in intervals])
    assert 0.40 < covered < 0.70


@pytest.mark.parametrize(("alpha", "most"), [(0.05, 0.05), (0.01, 0.01)])
def test_equal_encoders_are_rarely_called_different(simulated, alpha, most):
    p_values = np.array([CorrectedT(scores[:, 0] - scores[:, 1], 5).p() for scores in simulated])
    assert (p_values <= alpha).mean() <= most


def test_independent_differences_would_often_call_them_different(simulated):
    """The t-test on the 50 differences, for contrast."""
    differences = np.stack([scores[:, 0] - scores[:, 1] for scores in simulated])
    t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / 50**0.5)
    assert (np.abs(t) > 2.0096).mean() > 0.3  # t(0.975; 49)


def test_a_large_difference_is_found():
    world = World(240, (1.0, 2.2))
    found = [
        CorrectedT(one.scores[:, 1] - one.scores[:, 0], 5).p() for one in samples(world, n_sets=100, seed=8)
    ]
    assert np.mean(np.array(found) <= 0.05) > 0.8
