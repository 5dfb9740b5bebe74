"""Gradients from chunks are those of the whole batch, with dropout on."""

import pytest
import torch
from trainable import ROWS, trainable_encoder
from two_views import DRAWS, TwoViews

from sentflow.training.gradients import Passes, chunks_by_length
from sentflow.training.settings import TrainingSettings

SETTINGS = TrainingSettings(learning_rate=1, steps=1, chunk_tokens=12)
CACHED = SETTINGS.model_copy(update={"gradient_cache": True})


def test_gradients_of_steps_are_added_and_scaled(tmp_path):
    objective, gradients = TwoViews(trainable_encoder(tmp_path, double=True)).train(), []
    for settings, scale in ((SETTINGS, 1.0), (CACHED, 0.5)):
        objective.zero_grad()
        losses = [
            Passes(objective, settings).gradients(ROWS, DRAWS, scale=scale)[0] for _ in range(int(1 / scale))
        ]
        parts = [p.grad.flatten() for p in objective.parameters() if p.grad is not None]
        gradients.append((torch.cat(parts).clone(), losses[-1]))
    (once, loss), (twice_half, half) = gradients
    assert half == pytest.approx(loss)
    assert ((twice_half - once).norm() / once.norm()).item() < 1e-12


@pytest.mark.parametrize(
    ("lengths", "limit", "expected"),
    [
        ([3, 9, 3, 5], 12, [[1], [3, 0], [2]]),  # 9 · 2 and 5 · 3 are above 12
        ([40, 2], 10, [[0], [1]]),  # longer than a chunk may be
    ],
)
def test_chunks_hold_texts_of_similar_length(lengths, limit, expected):
    assert chunks_by_length([{"input_ids": [1] * n} for n in lengths], limit) == expected
