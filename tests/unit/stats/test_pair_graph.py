"""Pairs of sentences that share sentences: what is drawn, and with which weights."""

import numpy as np
import pytest
from made_graphs import stars, unshared
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sentflow.stats.effective import connected
from sentflow.stats.pair_graph import (
    COMPONENTS,
    LEAST_COMPONENTS,
    PAIRS,
    SENTENCES,
    PairGraph,
    interval_of_pair_mean,
)
from sentflow.stats.resampling import Bootstrap, interval_of_mean

# a path 0–1–2, the pair 1–2 twice; a sentence with itself and with another; a pair apart
SMALL = PairGraph(np.array([0, 1, 2, 3, 3, 5]), np.array([1, 2, 1, 3, 4, 6]))


@pytest.mark.parametrize(("n", "n_vertices"), [(1, 1), (40, 60), (300, 400), (300, 20)])
def test_connected_vertices_are_those_that_scipy_finds(n, n_vertices):
    rng = np.random.default_rng(n + n_vertices)
    first, second = rng.integers(0, n_vertices, (2, n))
    edges = coo_array((np.ones(n), (first, second)), shape=(n_vertices, n_vertices))
    _, label = connected_components(edges, directed=False)
    lowest = [int(np.flatnonzero(label == label[vertex])[0]) for vertex in first]
    assert connected(first, second).tolist() == lowest


def test_a_long_path_is_one_component():
    order = np.random.default_rng(5).permutation(20_000)
    for path in (np.arange(20_000)[::-1], order):
        assert not connected(path[:-1], path[1:]).any()


def test_pairs_that_share_nothing_are_drawn_one_by_one():
    units = unshared(30).units
    assert (units.kind, units.n_units, units.effective_pairs) == (PAIRS, 30, 30.0)
    counts = np.arange(60.0).reshape(2, 30)
    assert units.weights(counts) is counts


def test_many_components_are_drawn_whole():
    units = stars(60, 4).units
    assert (units.kind, units.n_units, units.effective_pairs) == (COMPONENTS, 60, 60.0)
    weights = units.weights(np.arange(60.0)[None])
    assert np.array_equal(weights[0], np.repeat(np.arange(60.0), 4))


def test_of_few_components_the_sentences_that_pairs_share_are_drawn():
    units = SMALL.units
    # shared are 1, 2 and 3, the first three units; the pair apart is the fourth
    assert (units.kind, units.n_units) == (SENTENCES, 4)
    weights = units.weights(np.array([[2.0, 3.0, 5.0, 7.0]]))
    assert weights.tolist() == [[2, 6, 6, 5, 5, 7]]
    assert units.effective_pairs == pytest.approx(36 / (9 + 4 + 1))  # components of 3, 2 and 1


def test_the_rule_counts_components_by_their_sizes():
    """Half of the pairs in one component are fewer than four, however many others there are."""
    giant = stars(1, 200)
    others = stars(100, 2)
    joined = PairGraph(
        np.concatenate([giant.first, 1000 + others.first]),
        np.concatenate([giant.second, 1000 + others.second]),
    )
    assert len(np.unique(joined.component)) == 101 > LEAST_COMPONENTS
    assert joined.units.kind == SENTENCES


def test_effective_rows_count_pairs_that_share_a_sentence():
    generator = np.random.default_rng(1)
    # equal pairs, swapped ones, and sentences with themselves
    first, second = generator.integers(0, 8, (2, 40))
    rows = [{*one} for one in zip(first.tolist(), second.tolist(), strict=True)]
    sharing = sum(bool(one & two) for one in rows for two in rows)
    assert PairGraph(first, second).effective_rows == pytest.approx(40**2 / sharing)


def test_a_part_of_a_graph_has_its_own_components():
    """Without the pair between them, two pairs share nothing."""
    assert SMALL.of(np.array([0, 4, 5])).units.kind == PAIRS


def test_weights_vary_as_dependence_asks_for():
    """Poisson-like draws: 1 with a shared unit, 3 for the product of two; covariance 1 with a sentence in common."""
    chain = PairGraph(np.array([0, 1, 1, 2, 2]), np.array([1, 2, 3, 4, 5]))  # shared: 1 and 2
    counts = np.random.default_rng(4).poisson(1.0, (200_000, chain.units.n_units)).astype(float)
    covariance = np.cov(chain.units.weights(counts).T)
    assert covariance[0, 0] == pytest.approx(1, abs=0.05)
    assert covariance[1, 1] == pytest.approx(3, abs=0.15)
    assert covariance[0, 1] == pytest.approx(1, abs=0.05)
    assert covariance[0, 3] == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("n_stars", [80, 30])
def test_values_that_whole_stars_share_give_the_interval_of_the_stars(n_stars):
    values = np.random.default_rng(2).normal(size=n_stars)
    bootstrap = Bootstrap(0.95, 4000, 3)
    low, high = interval_of_pair_mean(np.repeat(values, 5), stars(n_stars, 5).units, bootstrap)
    assert (low, high) == pytest.approx(interval_of_mean(values, bootstrap), abs=1e-9)
