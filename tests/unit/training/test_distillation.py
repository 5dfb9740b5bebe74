"""Distillation: an encoder learns the vectors of a teacher."""

import numpy as np
import pytest
import torch
from trainable import ROWS, WIDTH, trainable_encoder

from sentflow.errors import ConfigError, DataError
from sentflow.training.cache import chunks_by_length, gradients
from sentflow.training.draws import Draws
from sentflow.training.recipes import distillation
from sentflow.training.recipes.distillation import similarity_divergence
from sentflow.training.recipes.table import RECIPES

DRAWS = Draws(5)
TEACHER = np.random.default_rng(0).normal(size=(len(ROWS), 48)).astype(np.float32)


def rows(width=48):
    return [{**row, "text_target": vector[:width]} for row, vector in zip(ROWS, TEACHER, strict=True)]


@pytest.fixture
def build(tmp_path):
    def built(**changed):
        settings = {**RECIPES["distillation"].settings, "teacher": "other", **changed}
        return distillation.build(trainable_encoder(tmp_path), settings, DRAWS, max_tokens=12)

    return built


def step(objective, data, number=0):
    return gradients(
        objective,
        data,
        DRAWS.of("step", number),
        chunks=lambda examples: chunks_by_length(examples, 24),
        cached=False,
    ).loss


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


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_texts_have_no_order_of_similarity_to_learn(n):
    own = torch.randn(n, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()
    found = similarity_divergence(own, torch.ones(n, 3), temperature=0.05)
    found.backward()
    assert found.item() == 0
    assert not own.grad.any()


def test_a_projection_bridges_widths_and_is_not_exported(build):
    objective = build(projection=48)
    assert np.isfinite(step(objective, rows()))
    assert objective.projection.linear.weight.grad.abs().sum() > 0
    assert objective.exported().get_embedding_dimension() == WIDTH


def test_a_kept_projection_is_exported(build, tmp_path):
    objective = build(projection=48, keep_projection=True)
    step(objective, rows())
    exported = objective.exported()
    exported.save(str(tmp_path / "saved"), create_model_card=False)
    from sentence_transformers import SentenceTransformer

    again = SentenceTransformer(str(tmp_path / "saved"), device="cpu")
    assert np.array_equal(again.encode(["lei"]), exported.eval().encode(["lei"]))
    assert again.get_embedding_dimension() == 48


@pytest.mark.parametrize("loss", ["mse", "cosine", "similarity"])
def test_every_loss_falls_when_trained(build, loss):
    objective = build(loss=loss, projection=48 if loss != "similarity" else None)
    optimiser = torch.optim.AdamW(objective.parameters(), lr=3e-3)
    losses = []
    for number in range(25):
        optimiser.zero_grad()
        losses.append(step(objective, rows(), number))
        optimiser.step()
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])


def test_another_width_is_told_with_what_to_write(build):
    with pytest.raises(DataError, match=r"48 wide.*settings.projection: 48"):
        step(build(), rows())


def test_rows_without_a_teachers_vector_are_told(build):
    with pytest.raises(DataError, match=r"settings\.teacher"):
        step(build(), ROWS)


def test_there_is_no_projection_to_keep(build):
    with pytest.raises(ConfigError, match="keep_projection"):
        build(keep_projection=True)
