import math

import numpy as np
import pytest
from pydantic import ValidationError

from sentflow.geometry.facts import ScoredVectors, measure, uniformity
from sentflow.geometry.measures import unit_vectors
from sentflow.geometry.settings import AlignmentSettings

RIGHT, UP, LEFT = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]


def plain_uniformity(vectors: np.ndarray) -> float:
    """Pair after pair, as the definition reads."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    values = [
        math.exp(-2 * float(((unit[i] - unit[j]) ** 2).sum()))
        for i in range(len(unit))
        for j in range(i + 1, len(unit))
    ]
    return math.log(math.fsum(values) / len(values))


def pairs_of(vectors, scores) -> ScoredVectors:
    """Rows 0 and 1 are the first pair, 2 and 3 the second, …"""
    rows = np.arange(len(vectors)).reshape(-1, 2)
    return ScoredVectors(np.array(vectors, np.float32), rows[:, 0], rows[:, 1], np.array(scores, float))


def test_uniformity_by_hand():
    assert uniformity(np.array([RIGHT, LEFT]))[0] == pytest.approx(-8, abs=1e-12)  # antipodes
    assert uniformity(np.array([RIGHT, UP]))[0] == pytest.approx(-4, abs=1e-12)
    three = (math.exp(-4) + math.exp(-4) + math.exp(-8)) / 3  # the log of the mean, not the mean of the log
    assert uniformity(np.array([RIGHT, UP, LEFT]))[0] == pytest.approx(math.log(three), abs=1e-12)


@pytest.mark.parametrize("block_rows", [1, 7, 299, 1000])
def test_blocks_make_no_difference(block_rows):
    rng = np.random.default_rng(4)  # many lengths, and no direction preferred
    cloud = rng.normal(size=(300, 8)) * rng.uniform(0.1, 9, size=(300, 1))
    value, n_pairs = uniformity(unit_vectors(cloud), block_rows)
    assert value == pytest.approx(plain_uniformity(cloud), abs=1e-9)
    assert n_pairs == 300 * 299 // 2


def test_positives_are_above_or_at_least_the_threshold():
    pairs = pairs_of([RIGHT, UP, RIGHT, LEFT, UP, UP], [4.0, 4.2, 3.9])
    above = measure(pairs, AlignmentSettings())
    at_least = measure(pairs, AlignmentSettings(comparison="at-least"))
    assert (above.n_positive, at_least.n_positive) == (1, 2)
    assert above.alignment == pytest.approx(4)  # the second pair
    assert at_least.alignment == pytest.approx(3)  # and the first, a right angle
    assert above.uniformity == at_least.uniformity
    assert (above.n_sentences, above.n_pairs) == (6, 15)


def test_unique_sentences_count_once():
    vectors = np.array([RIGHT, LEFT], np.float32)
    rows = np.array([0, 0, 0])
    pairs = ScoredVectors(vectors, rows, np.array([0, 1, 1]), np.array([5.0, 1.0, 1.0]))
    unique = measure(pairs, AlignmentSettings(sentences="unique"))
    assert (unique.n_sentences, unique.n_pairs) == (2, 1)
    assert unique.uniformity == pytest.approx(-8)
    repeated = measure(pairs, AlignmentSettings())
    assert (repeated.n_sentences, repeated.n_pairs) == (6, 15)
    # four times right, twice left: 6 + 1 pairs of equal, 8 of opposite vectors
    assert repeated.uniformity == pytest.approx(math.log((7 + 8 * math.exp(-8)) / 15))


def test_zero_vectors_are_counted_and_stay_zero():
    found = measure(pairs_of([RIGHT, [0, 0], UP, UP], [5, 1]), AlignmentSettings())
    assert found.n_zero == 1
    assert found.alignment == pytest.approx(1)  # from the middle to the circle
    assert "1 of 4 vectors are zero" in found.warnings[0]


def test_without_a_positive_pair_alignment_is_nan_with_the_reason():
    found = measure(pairs_of([RIGHT, UP], [4.0]), AlignmentSettings())
    assert math.isnan(found.alignment)
    assert found.uniformity == pytest.approx(-4)
    assert "no pair has a score > 4" in found.warnings[0]


def test_alignunformeval_takes_no_square_and_does_not_normalise():
    # lengths 3 and 4 at a right angle: 5 apart; the two of the other pair are 3 and 4 up: 1 apart
    pairs = pairs_of([[3, 0], [0, 4], [0, 3], [0, 4]], [4.5, 2])
    found = measure(pairs, AlignmentSettings(variant="alignunformeval"))
    assert found.alignment == pytest.approx(5)
    distances = [5, math.sqrt(18), 5, 1, 0, 1]
    expected = math.log(sum(math.exp(-2 * distance) for distance in distances) / 6)
    assert found.uniformity == pytest.approx(expected, abs=1e-7)
    assert "lengths from 3 to 4" in found.warnings[0]


def test_per_batch_is_the_mean_of_batches_of_their_positive_pairs():
    vectors = [RIGHT, UP, RIGHT, UP, RIGHT, LEFT, UP, UP, LEFT, LEFT]
    pairs = pairs_of(vectors, [4.0, 1.0, 5.0, 4.5, 5.0])  # batches of two: pair 0; pairs 2 and 3; pair 4
    found = measure(pairs, AlignmentSettings(variant="per-batch", comparison="at-least", batch=2))
    assert found.alignment == pytest.approx((2 + (4 + 0) / 2 + 0) / 3)
    second, _ = uniformity(np.array([RIGHT, UP, LEFT, UP]))
    assert found.uniformity == pytest.approx((-4 + second + 0) / 3)
    assert (found.n_positive, found.n_sentences, found.n_pairs) == (4, 8, 1 + 6 + 1)
    assert (found.batches.n, found.batches.n_empty) == (3, 0)


def test_a_batch_without_positives_makes_the_published_mean_nan_and_is_reported():
    pairs = pairs_of([RIGHT, UP, RIGHT, UP], [5.0, 1.0])
    found = measure(pairs, AlignmentSettings(variant="per-batch", comparison="at-least", batch=1))
    assert math.isnan(found.alignment)
    assert math.isnan(found.uniformity)
    assert (found.batches.n, found.batches.n_empty) == (2, 1)
    assert (found.batches.alignment, found.batches.uniformity) == (pytest.approx(2), pytest.approx(-4))
    assert "1 of 2 batches have no positive pair" in found.warnings[0]


def test_settings_that_do_not_fit_are_refused():
    with pytest.raises(ValidationError, match="no effect under the variant alignunformeval"):
        AlignmentSettings(variant="alignunformeval", sentences="unique")


def test_per_batch_takes_equal_scores_for_positive_as_the_study_does():
    assert AlignmentSettings(variant="per-batch").comparison == "at-least"
    assert AlignmentSettings(variant="per-batch", comparison="above").comparison == "above"
