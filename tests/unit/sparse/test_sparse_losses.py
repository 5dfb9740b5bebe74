"""Regularisers and losses: values by hand, those of sentence-transformers, gradients, what is refused."""

import math

import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sparse_encoder.losses import SparseDistillKLDivLoss, SparseMarginMSELoss

from sentflow.errors import ConfigError, DataError
from sentflow.sparse.ranking_losses import (
    SparseEmbedLoss,
    flops,
    in_batch_negatives,
    kl_divergence,
    margin_mse,
    quadratic_weight,
)

# Three queries with two candidates each
SCORES = torch.tensor([[3.0, 1.0], [0.0, 2.0], [1.0, 1.0]], dtype=torch.float64)
TEACHER = torch.tensor([[2.0, 1.0], [4.0, 2.0], [0.0, 0.5]], dtype=torch.float64)


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_flops_and_its_gradient_by_hand():
    weights = torch.tensor([[1.0, 0.0, 2.0], [3.0, 0.0, 0.0]], requires_grad=True)
    value = flops(weights)
    assert value.item() == 5.0  # means 2, 0, 1
    value.backward()
    # 2 · mean / B, where there is a weight
    assert weights.grad.tolist() == [[2.0, 0.0, 1.0], [2.0, 0.0, 0.0]]


def test_the_weight_of_flops_rises_quadratically_or_is_constant_without_a_rise():
    assert [quadratic_weight(0.4, step, 50) for step in (0, 25, 51)] == pytest.approx([0.0, 0.1, 0.4])
    assert quadratic_weight(0.4, 0, 0) == 0.4
    with pytest.raises(ConfigError, match="weight of FLOPS is -1"):
        quadratic_weight(-1, 0, 10)


def test_in_batch_negatives_by_hand():
    assert in_batch_negatives(torch.zeros(2, 3)).item() == pytest.approx(math.log(3))
    value = in_batch_negatives(torch.tensor([[1.0, 0.0], [0.0, 3.0]]))
    assert value.item() == pytest.approx((math.log1p(math.exp(-1)) + math.log1p(math.exp(-3))) / 2)
    with pytest.raises(ValueError, match="3 queries have 2 documents"):
        in_batch_negatives(SCORES)


@pytest.mark.parametrize(("n_negatives", "temperature"), [(1, 1.0), (3, 2.0)])
def test_distillation_is_that_of_sentence_transformers(n_negatives, temperature):
    sides = [drawn(4, 6, seed=seed) for seed in range(n_negatives + 2)]
    scores = torch.stack([(sides[0] * other).sum(dim=1) for other in sides[1:]], dim=1)
    teacher = drawn(4, n_negatives + 1, seed=9)
    model = SentenceTransformer(modules=[torch.nn.Identity()], device="cpu")
    oracle = SparseMarginMSELoss(model).compute_loss_from_embeddings(sides, teacher)
    assert margin_mse(scores, teacher).item() == pytest.approx(oracle.item())
    oracle = SparseDistillKLDivLoss(model, temperature=temperature).compute_loss_from_embeddings(
        sides, teacher
    )
    assert kl_divergence(scores, teacher, temperature=temperature).item() == pytest.approx(oracle.item())


@pytest.mark.parametrize("loss", [margin_mse, kl_divergence])
def test_a_teacher_that_does_not_fit_is_refused(loss):
    with pytest.raises(DataError, match="not finite"):
        loss(SCORES, TEACHER.masked_fill(TEACHER == 4, torch.nan))
    with pytest.raises(DataError, match=r"\(3, 2\), and those of the teacher \(3, 1\)"):
        loss(SCORES, TEACHER[:, :1])
    with pytest.raises(ValueError, match="C of at least 2"):
        loss(SCORES[:, :1], TEACHER[:, :1])


def test_the_loss_of_sparse_embed_by_hand():
    loss = SparseEmbedLoss(query_flops=0.4, document_flops=0.5, rise_steps=10)
    queries, documents = torch.tensor([[1.0, 0.0], [3.0, 0.0]]), torch.tensor([[1.0, 2.0]])
    found = loss(SCORES, 2 * SCORES, queries, documents, step=5, teacher=TEACHER)
    # margins of 2 · SCORES are 4, −4, 0: (9 + 36 + 0.25) / 3; FLOPS 4 and 5, a quarter of their weights
    assert found.embeddings.item() == pytest.approx(5.75)
    assert found.weights.item() == pytest.approx(45.25 / 3)
    assert (found.query_flops.item(), found.document_flops.item()) == (4.0, 5.0)
    assert found.total.item() == pytest.approx(5.75 + 0.1 * 45.25 / 3 + 0.1 * 4 + 0.125 * 5)
