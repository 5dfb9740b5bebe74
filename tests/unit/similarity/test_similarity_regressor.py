"""SentEval's regressor of relatedness."""

import math

import numpy as np
import pytest
import torch

from sentflow.similarity.regressor import Part, RegressorSettings, pair_features, regress, soft_targets


def test_soft_targets_by_hand():
    found = soft_targets(np.array([3.2, 4.0, 5.0, 1.0, 0.4, 0.0, 4.75]))
    assert found == pytest.approx(
        np.array(
            [
                [0, 0, 0.8, 0.2, 0],
                [0, 0, 0, 1, 0],
                [0, 0, 0, 0, 1],
                [1, 0, 0, 0, 0],
                [0.4, 0, 0, 0, 0],  # there is no grade 0
                [0, 0, 0, 0, 0],
                [0, 0, 0, 0.25, 0.75],
            ]
        ),
        abs=1e-6,
    )


def test_scores_without_a_grade_are_refused():
    with pytest.raises(ValueError, match="from -1.0 to 3.0: the regressor needs 0 to 5"):
        soft_targets(np.array([3.0, -1.0]))


def test_pair_features_by_hand():
    a, b = np.array([[1, -2]], np.float32), np.array([[3, 5]], np.float32)
    found = pair_features(a, b)
    assert found.tolist() == [[2, 7, 3, -10]]
    assert found.dtype == np.float32


def part(n, seed):
    """Pairs whose relatedness is their distance in one direction: what the regressor can learn."""
    generator = np.random.default_rng(seed)
    a, b = generator.normal(size=(2, n, 6)).astype(np.float32)
    gold = 1 + 4 * np.exp(-np.abs(a[:, 0] - b[:, 0]).astype(np.float64))
    return Part(pair_features(a, b), gold)


@pytest.fixture(scope="module")
def parts():
    return part(600, 0), part(150, 1), part(300, 2)


def test_seed_decides_everything(parts):
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    short = RegressorSettings(epochs_per_chunk=2, max_epochs=2)
    first = regress(*parts, seed=3, settings=short)
    assert torch.equal(torch.random.get_rng_state(), before)  # no global generator is touched
    torch.manual_seed(2)
    assert regress(*parts, seed=3, settings=short) == first
    assert regress(*parts, seed=4, settings=short) != first


def test_training_ends_at_the_fourth_look_that_is_no_better(parts, monkeypatch):
    # misses in total, not in a row: 0.4, 0.5, 0.6, 0.2
    looks = iter([0.5, 0.4, 0.6, 0.5, 0.6, 0.2, 0.9, 0.9])
    monkeypatch.setattr("sentflow.similarity.regressor.pearson", lambda *_: next(looks))
    found = regress(*parts, seed=3, settings=RegressorSettings(epochs_per_chunk=1))
    assert found.epochs == 6
    assert found.dev_pearson == 0.6
    assert found.pearson == 0.9  # the seventh: of the test part


def test_training_ends_after_the_chunk_that_passes_the_most_epochs(parts):
    found = regress(*parts, seed=3, settings=RegressorSettings(epochs_per_chunk=2, max_epochs=3, patience=99))
    assert found.epochs == 4


def test_constant_vectors_have_no_score():
    features = np.zeros((40, 8), np.float32)
    same = Part(features, np.linspace(0, 5, 40))
    found = regress(same, same, same, seed=1, settings=RegressorSettings(epochs_per_chunk=1))
    assert math.isnan(found.pearson)
    assert math.isnan(found.spearman)
    assert math.isnan(found.dev_pearson)
    assert found.mse > 0


def test_regressor_of_torch_without_our_loop(parts):
    """The same steps written as torch's documentation has them: one chunk, the same batches and initial weights."""
    train, dev, test = parts
    found = regress(train, dev, test, seed=5, settings=RegressorSettings(epochs_per_chunk=3, max_epochs=0))
    bound = 1 / math.sqrt(train.features.shape[1])
    generator = torch.Generator().manual_seed(5)
    layer = torch.nn.Linear(train.features.shape[1], 5)
    initial = torch.empty(5, train.features.shape[1] + 1).uniform_(-bound, bound, generator=generator)
    with torch.no_grad():
        layer.weight.copy_(initial[:, :-1])
        layer.bias.copy_(initial[:, -1])
    model = torch.nn.Sequential(layer, torch.nn.Softmax(dim=1))
    optimiser, criterion = torch.optim.Adam(model.parameters()), torch.nn.MSELoss()
    orders = np.random.default_rng(5)
    targets = torch.from_numpy(soft_targets(train.gold))
    for _ in range(3):
        order = orders.permutation(600)
        for start in range(0, 600, 64):
            rows = order[start : start + 64]
            optimiser.zero_grad()
            criterion(model(torch.from_numpy(train.features)[rows]), targets[rows]).backward()
            optimiser.step()
    predicted = model(torch.from_numpy(test.features)).detach().numpy().astype(float) @ np.arange(1, 6)
    assert found.pearson == pytest.approx(np.corrcoef(predicted, test.gold)[0, 1], abs=1e-6)
    assert found.mse == pytest.approx(np.mean((predicted - test.gold) ** 2), abs=1e-6)
