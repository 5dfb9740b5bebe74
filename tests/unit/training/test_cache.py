"""Gradients from chunks are those of the whole batch, with dropout on."""

import pytest
import torch
from trainable import ROWS, trainable_encoder
from two_views import DRAWS, TwoViews

from sentflow.training.gradients import Passes, chunks_by_length
from sentflow.training.settings import TrainingSettings

SETTINGS = TrainingSettings(learning_rate=1, steps=1, chunk_tokens=12)
CACHED = SETTINGS.model_copy(update={"gradient_cache": True})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bert")


def gradient(objective):
    """The gradient of all parameters as one vector, and the loss."""
    objective.train().zero_grad()
    loss = Passes(objective, SETTINGS).gradients(ROWS, DRAWS).loss
    parts = [p.grad.flatten() for p in objective.parameters() if p.grad is not None]
    return torch.cat(parts).clone(), loss


def relative_difference(one, other):
    return ((one - other).norm() / other.norm()).item()


def test_gradients_of_steps_are_added_and_scaled(folder):
    objective = TwoViews(trainable_encoder(folder, double=True))
    once, loss = gradient(objective)
    objective.zero_grad()
    for _ in range(2):
        half = Passes(objective, CACHED).gradients(ROWS, DRAWS, scale=0.5)
        assert half.loss == pytest.approx(loss)
    twice_half = torch.cat([p.grad.flatten() for p in objective.parameters() if p.grad is not None])
    assert relative_difference(twice_half, once) < 1e-12


@pytest.mark.parametrize(
    ("lengths", "limit", "expected"),
    [
        ([3, 9, 3, 5], 12, [[1], [3, 0], [2]]),  # 9 · 2 and 5 · 3 are above 12
        ([40, 2], 10, [[0], [1]]),  # longer than a chunk may be
    ],
)
def test_chunks_hold_texts_of_similar_length(lengths, limit, expected):
    assert chunks_by_length([{"input_ids": [1] * n} for n in lengths], limit) == expected
