import numpy as np
import pytest
import torch

from sentflow.probing.training.standardise import standardised


def features_of(n: int) -> np.ndarray:
    return (3 + np.random.default_rng(n).standard_normal((n, 6))).astype(np.float32)


@pytest.fixture(params=[False, True], ids=["float64", "torch"])
def torch_rounding(request) -> bool:
    return request.param


def test_parts_are_standardised_by_the_training_part(torch_rounding):
    parts = [features_of(400), features_of(10), features_of(11)]
    mean, std = parts[0].mean(axis=0), parts[0].std(axis=0, ddof=1)
    for scaled, raw in zip(
        standardised(parts, ones=False, torch_rounding=torch_rounding), parts, strict=True
    ):
        np.testing.assert_allclose(scaled, (raw - mean) / std, rtol=1e-4, atol=1e-5)


def test_torch_rounding_is_torchs_to_the_last_bit():
    features = features_of(400)
    std, mean = torch.std_mean(torch.from_numpy(features), dim=0)
    expected = (torch.from_numpy(features) - mean) / (std + 1e-12)
    np.testing.assert_array_equal(standardised([features], ones=False, torch_rounding=True)[0], expected)


def test_input_arrays_are_left_as_they_were(torch_rounding):
    features = features_of(60)
    before = features.copy()
    standardised([features] * 3, ones=True, torch_rounding=torch_rounding)
    np.testing.assert_array_equal(features, before)


def test_column_of_ones_carries_the_bias(torch_rounding):
    train, _, test = standardised([features_of(60)] * 3, ones=True, torch_rounding=torch_rounding)
    assert train.shape == (60, 7)
    assert (test[:, -1] == 1).all()


def test_column_that_is_constant_on_the_training_part_is_divided_by_almost_nothing(torch_rounding):
    """Published (const_features): 1e-12 is added to the standard deviation, so other values explode."""
    features = features_of(60)
    features[:, 2] = 0.0
    other = features.copy()
    other[:, 2] = 0.5
    train, test = standardised([features, other], ones=False, torch_rounding=torch_rounding)
    assert (train[:, 2] == 0).all()
    assert test[:, 2] == pytest.approx(np.full(60, 5e11))
