"""Each measure against numbers worked out by hand, and against what it promises."""

import math

import numpy as np
import pytest

from sentflow.errors import DataError
from sentflow.geometry.measures import (
    Neighbours,
    average_cosine,
    average_cosine_interval,
    count_zeros,
    dimension_mle,
    dimension_two_nn,
    effective_rank,
    hubness,
    nearest,
    partition_ratio,
    spectrum,
    unit_vectors,
    whitened,
)
from sentflow.geometry.permuted_texts import permute_texts
from sentflow.stats.resampling import Bootstrap

BOOTSTRAP = Bootstrap(level=0.9, n_resamples=400, seed=2)


def directions(n: int, d: int, seed: int = 0) -> np.ndarray:
    return unit_vectors(np.random.default_rng(seed).normal(size=(n, d)))


def test_unit_vectors_keep_zeros_and_count_them():
    found = unit_vectors(np.array([[3, 4], [0, 0], [-2, 0]], np.float32))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [[0.6, 0.8], [0, 0], [-1, 0]])
    assert count_zeros(found) == 1


def test_average_cosine_by_hand():
    # cosines of the three pairs: 0, -1, 0
    assert average_cosine(np.array([[1, 0], [0, 1], [-1, 0]], float)) == pytest.approx(-1 / 3)
    assert average_cosine(np.ones((5, 1))) == pytest.approx(1)
    assert math.isnan(average_cosine(np.ones((1, 1))))


def test_the_interval_of_the_average_cosine_holds_its_value_and_narrows():
    widths = []
    for n in (50, 800):
        shifted = unit_vectors(directions(n, 5) + 0.5)
        low, high = average_cosine_interval(shifted, BOOTSTRAP)
        assert low < average_cosine(shifted) < high
        widths.append(high - low)
    assert widths[1] < widths[0] / 2  # by the root of 16, about a quarter


def test_partition_ratio_by_hand():
    # eigenvectors are the axes. First: e + 1 and 1/e + 1; second: the same
    assert partition_ratio(np.eye(2)) == pytest.approx((math.exp(-1) + 1) / (math.e + 1))
    # both directions of both axes: every sum is e + 1/e + 2
    assert partition_ratio(np.concatenate([np.eye(2), -np.eye(2)])) == pytest.approx(1)
    # all on one point: between exp(-1) and exp(1)
    assert partition_ratio(np.tile([1.0, 0, 0], (4, 1))) == pytest.approx(math.exp(-2))


def test_spectrum_by_hand():
    # centred already; sums of squares 8, 2 and 0
    vectors = np.array([[2, 0, 0], [-2, 0, 0], [0, 1, 0], [0, -1, 0]], float)
    np.testing.assert_allclose(spectrum(vectors + [5, 6, 7]), [0.8, 0.2, 0], atol=1e-12)


def test_effective_rank_by_hand():
    assert effective_rank(np.array([1.0, 0, 0])) == pytest.approx(1)
    assert effective_rank(np.full(7, 1 / 7)) == pytest.approx(7)
    # singular values 2 : 1, parts 2/3 and 1/3
    entropy = 2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3)
    assert effective_rank(np.array([0.8, 0.2])) == pytest.approx(math.exp(entropy))


def test_the_effective_rank_of_one_point_is_undefined():
    shares = spectrum(np.tile([0.3, 0.1, 0.2], (9, 1)))
    assert np.isnan(shares).all()
    assert math.isnan(effective_rank(shares))


def test_nearest_agrees_with_sorting_all_distances():
    unit = directions(700, 5)  # more than one block
    distances = np.linalg.norm(unit[:, None] - unit[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    found = nearest(unit, 4)
    np.testing.assert_array_equal(found.rows, np.argsort(distances, axis=1, kind="stable")[:, :4])
    np.testing.assert_allclose(found.distances, np.sort(distances, axis=1)[:, :4], atol=1e-7)


def neighbours_of(rows=None, distances=None) -> Neighbours:
    return Neighbours(np.array(rows if rows else [[0]]), np.array(distances if distances else [[0.0]], float))


def test_hubness_by_hand():
    # row 0 is the neighbour of three, row 1 of one, rows 2 and 3 of none: counts 3, 1, 0, 0 about 1
    third, second = (8 + 0 - 1 - 1) / 4, (4 + 0 + 1 + 1) / 4
    assert hubness(neighbours_of([[1], [0], [0], [0]])) == pytest.approx(third / second**1.5)
    assert math.isnan(hubness(neighbours_of([[1], [2], [3], [0]])))  # all once


def test_the_dimension_by_two_neighbours_by_hand():
    # ten ratios e, e², …; the tenth is left out. Slope through the origin of y = -ln(1 - i/10) on x = i
    ratios = np.exp(np.arange(1, 11))
    x, y = np.arange(1, 10), -np.log(1 - np.arange(1, 10) / 10)
    found = dimension_two_nn(neighbours_of(distances=[[2.0, 2 * ratio] for ratio in ratios]))
    assert found == pytest.approx((x * y).sum() / (x * x).sum())


def test_the_dimension_by_likelihood_by_hand():
    # inverses: (ln 4 + ln 2) / 2 and (ln 9 + ln 3) / 2; their mean is 3 (ln 2 + ln 3) / 4
    found = dimension_mle(neighbours_of(distances=[[1, 2, 4], [1, 3, 9]]))
    assert found == pytest.approx(4 / (3 * math.log(6)))


def test_vectors_that_occur_twice_are_left_out_of_dimensions():
    rows = [[2.0, 4.0, 6.0], [1.0, 3.0, 4.0], [2.5, 3.0, 8.0]]
    twins = [[0.0, 1e-7, 1.0]]
    assert dimension_mle(neighbours_of(distances=rows + twins)) == dimension_mle(
        neighbours_of(distances=rows)
    )
    assert dimension_two_nn(neighbours_of(distances=rows + twins)) == dimension_two_nn(
        neighbours_of(distances=rows)
    )
    assert math.isnan(dimension_mle(neighbours_of(distances=twins)))
    assert math.isnan(dimension_two_nn(neighbours_of(distances=twins)))


def test_whitened_vectors_have_the_unit_covariance_and_start_with_the_greatest_axis():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(500, 6)) @ rng.normal(size=(6, 6)) + 4
    whole = whitened(vectors)
    np.testing.assert_allclose(whole.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(whole.T @ whole / 500, np.eye(6), atol=1e-9)
    # variances in descending order are inverse squares of the lengths of the kernel's columns
    kernel = np.linalg.lstsq(vectors - vectors.mean(axis=0), whole)[0]
    assert (np.diff(np.linalg.norm(kernel, axis=0)) > 0).all()


def test_axes_without_variance_are_left_out():
    vectors = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    flat = np.concatenate([vectors, vectors[:, :1] + 1, np.full((40, 1), 0.7, np.float32)], axis=1)
    assert whitened(flat).shape == (len(flat), 3)
    assert whitened(np.full((40, 3), 0.1, np.float32)).shape == (40, 0)


ENGLISH = [f"the {noun} sleeps under a tree" for noun in ("cat", "dog", "cow", "pig", "owl", "hen")]
JAPANESE = ["猫が木の下で眠る", "犬が川の前で走る", "短い"]


def test_words_change_places_and_none_is_lost():
    found = permute_texts(ENGLISH, n=10, seed=3)
    assert found.unit == "words"
    assert sorted(found.originals) == sorted(ENGLISH)
    for text, original in zip(found.texts, found.originals, strict=True):
        assert text != original
        assert sorted(text.split()) == sorted(original.split())


def test_the_seed_decides_and_a_longer_list_changes_no_order():
    few, many = permute_texts(ENGLISH[:3], n=10, seed=3), permute_texts(ENGLISH, n=10, seed=3)
    of_many = dict(zip(many.originals, many.texts, strict=True))
    assert all(of_many[original] == text for text, original in zip(few.texts, few.originals, strict=True))
    assert permute_texts(ENGLISH, n=10, seed=4).texts != many.texts


def test_languages_without_spaces_have_their_characters_permuted():
    found = permute_texts(JAPANESE, n=10, seed=1)
    assert found.unit == "characters"
    assert sorted(found.originals) == sorted(JAPANESE[:2])  # the third has two characters
    assert sorted(found.texts[0]) == sorted(found.originals[0])
    with pytest.raises(DataError, match="none of 1 texts has 3 characters whose order can change"):
        permute_texts(JAPANESE[2:], n=10, seed=1)
