"""Distillation: an encoder learns the vectors of a teacher."""

import numpy as np
import pytest
import torch
from trainable import ROWS, WIDTH, trainable_encoder

from sentflow.errors import DataError
from sentflow.training.draws import Draws
from sentflow.training.gradients import Passes
from sentflow.training.recipes import distillation
from sentflow.training.recipes.distillation import similarity_divergence
from sentflow.training.recipes.settings import Distillation
from sentflow.training.settings import TrainingSettings

DRAWS = Draws(5)
TEACHER = np.random.default_rng(0).normal(size=(len(ROWS), 48)).astype(np.float32)


def rows(width=48):
    return [{**row, "text_target": vector[:width]} for row, vector in zip(ROWS, TEACHER, strict=True)]


@pytest.fixture
def build(tmp_path):
    def built(**changed):
        settings = Distillation(**{"teacher": "other", **changed})
        return distillation.Distillation(trainable_encoder(tmp_path), settings, DRAWS, max_tokens=12)

    return built


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ("mse", lambda own, target: (own - target).square().mean()),
        ("cosine", lambda own, target: (1 - torch.cosine_similarity(own, target)).mean()),
    ],
)
def test_vectors_of_one_width_are_compared_as_they_are(build, loss, expected):
    own = torch.randn(len(ROWS), WIDTH, generator=torch.Generator().manual_seed(0))
    target = torch.from_numpy(TEACHER[:, :WIDTH])
    found = build(loss=loss).loss([own], rows(WIDTH))
    assert found.item() == pytest.approx(expected(own, target).item(), rel=1e-5)  # sums in single precision


def test_similarities_are_compared_by_their_divergence_from_the_teachers():
    own, target = torch.tensor([[1.0, 0], [0, 1], [1, 1]]).double(), torch.tensor([[2.0], [3], [-1]]).double()
    # Cosines to the two others: own 0, √½ | 0, √½ | √½, √½; the teacher's 1, −1 | 1, −1 | −1, −1
    half = np.sqrt(0.5)
    p = np.exp([1, -1]) / np.exp([1, -1]).sum()
    q = np.exp([0, half]) / np.exp([0, half]).sum()
    expected = 2 * (p * np.log(p / q)).sum() / 3  # the third text sees both others alike, in either space
    assert similarity_divergence(own, target, temperature=1.0).item() == pytest.approx(expected, rel=1e-12)
    assert similarity_divergence(target * 7, target, temperature=0.05).item() == pytest.approx(0, abs=1e-12)


def test_another_width_is_told_with_what_to_write(build):
    with pytest.raises(DataError, match=r"48 wide.*settings.projection: 48"):
        settings = TrainingSettings(learning_rate=1e-3, steps=1, chunk_tokens=24)
        Passes(build(), settings).gradients(rows(), DRAWS.of("step", 0))
