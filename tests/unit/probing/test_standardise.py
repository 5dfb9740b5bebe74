import numpy as np
import pytest

from sentflow.probing.training.standardise import standardised


def features_of(n: int) -> np.ndarray:
    return (3 + np.random.default_rng(n).standard_normal((n, 6))).astype(np.float32)


def test_parts_are_standardised_by_the_training_part():
    parts = [features_of(400), features_of(10), features_of(11)]
    mean, std = parts[0].mean(axis=0), parts[0].std(axis=0, ddof=1)
    for scaled, raw in zip(standardised(parts, ones=False), parts, strict=True):
        np.testing.assert_allclose(scaled, (raw - mean) / std, rtol=1e-4, atol=1e-5)


def test_input_arrays_are_left_as_they_were():
    features = features_of(60)
    before = features.copy()
    standardised([features] * 3, ones=True)
    np.testing.assert_array_equal(features, before)


def test_column_of_ones_carries_the_bias():
    train, _, test = standardised([features_of(60)] * 3, ones=True)
    assert train.shape == (60, 7)
    assert (test[:, -1] == 1).all()


def test_column_that_is_constant_on_the_training_part_is_divided_by_almost_nothing():
    """Published (const_features): 1e-12 is added to the standard deviation, so other values explode."""
    features = features_of(60)
    features[:, 2] = 0.0
    other = features.copy()
    other[:, 2] = 0.5
    train, test = standardised([features, other], ones=False)
    assert (train[:, 2] == 0).all()
    assert test[:, 2] == pytest.approx(np.full(60, 5e11))
