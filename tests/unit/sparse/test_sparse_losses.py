"""Regularisers and losses: values by hand, those of sentence-transformers, gradients, what is refused."""

import math

import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sparse_encoder.losses import FlopsLoss, SparseDistillKLDivLoss, SparseMarginMSELoss

from sentflow.errors import ConfigError, DataError
from sentflow.sparse.ranking_losses import SparseEmbedLoss, in_batch_negatives, kl_divergence, margin_mse
from sentflow.sparse.regularisers import flops, quadratic_weight

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


def test_flops_falls_to_0_without_a_threshold():
    assert [flops(torch.full((2, 4), size)).item() for size in (1e-3, 0.0)] == [pytest.approx(4e-6), 0.0]


def test_flops_of_a_gathered_batch_is_not_the_mean_of_parts():
    weights = torch.tensor([[2.0, 0.0], [0.0, 2.0]])
    assert flops(weights).item() == 2.0
    assert torch.stack([flops(weights[:1]), flops(weights[1:])]).mean().item() == 4.0


def test_flops_is_that_of_sentence_transformers():
    weights = drawn(4, 7)
    assert flops(weights).item() == pytest.approx(
        FlopsLoss(None).compute_loss_from_embeddings(weights).item()
    )


@pytest.mark.parametrize(("step", "expected"), [(0, 0.0), (25, 0.1), (50, 0.4), (51, 0.4), (10**6, 0.4)])
def test_the_weight_of_flops_rises_quadratically(step, expected):
    assert quadratic_weight(0.4, step, 50) == pytest.approx(expected)


def test_the_weight_of_flops_is_constant_without_a_rise():
    assert quadratic_weight(0.4, 0, 0) == 0.4
    with pytest.raises(ConfigError, match="weight of FLOPS is -1"):
        quadratic_weight(-1, 0, 10)
    with pytest.raises(ConfigError, match="weight of FLOPS is nan"):
        quadratic_weight(math.nan, 0, 10)


def test_in_batch_negatives_by_hand():
    assert in_batch_negatives(torch.zeros(2, 3)).item() == pytest.approx(math.log(3))
    value = in_batch_negatives(torch.tensor([[1.0, 0.0], [0.0, 3.0]]))
    assert value.item() == pytest.approx((math.log1p(math.exp(-1)) + math.log1p(math.exp(-3))) / 2)
    with pytest.raises(ValueError, match="3 queries have 2 documents"):
        in_batch_negatives(SCORES)


def test_margin_mse_by_hand():
    # margins 2, −2, 0 against 1, 2, −0.5: (1 + 16 + 0.25) / 3
    assert margin_mse(SCORES, TEACHER).item() == pytest.approx(5.75)


def test_kl_by_hand():
    p, q = torch.tensor([0.5, 0.5]).log(), torch.tensor([0.75, 0.25]).log()
    # 0.5 ln(0.5 / 0.75) + 0.5 ln(0.5 / 0.25)
    expected = 0.5 * math.log(2 / 3) + 0.5 * math.log(2)
    assert kl_divergence(q[None], p[None]).item() == pytest.approx(expected)
    assert kl_divergence(SCORES + 5, SCORES).item() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("n_negatives", [1, 3])
@pytest.mark.parametrize("temperature", [1.0, 2.0])
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


def test_temperature_is_above_0():
    with pytest.raises(ConfigError, match="temperature is 0"):
        kl_divergence(SCORES, TEACHER, temperature=0)


def test_the_loss_of_sparse_embed_by_hand():
    loss = SparseEmbedLoss(query_flops=0.4, document_flops=0.5, rise_steps=10)
    queries, documents = torch.tensor([[1.0, 0.0], [3.0, 0.0]]), torch.tensor([[1.0, 2.0]])
    found = loss(SCORES, 2 * SCORES, queries, documents, step=5, teacher=TEACHER)
    # margins of 2 · SCORES are 4, −4, 0: (9 + 36 + 0.25) / 3; FLOPS 4 and 5, a quarter of their weights
    assert found.embeddings.item() == pytest.approx(5.75)
    assert found.weights.item() == pytest.approx(45.25 / 3)
    assert (found.query_flops.item(), found.document_flops.item()) == (4.0, 5.0)
    assert found.total.item() == pytest.approx(5.75 + 0.1 * 45.25 / 3 + 0.1 * 4 + 0.125 * 5)


def test_the_loss_of_sparse_embed_without_a_teacher():
    loss = SparseEmbedLoss(query_flops=0, document_flops=0, rise_steps=0, ranking="contrastive")
    found = loss(torch.zeros(2, 4), torch.zeros(2, 4), torch.zeros(2, 3), torch.zeros(4, 3), step=0)
    assert found.total.item() == pytest.approx(1.1 * math.log(4))


def test_the_ranking_and_its_teacher_must_fit():
    settings = {"query_flops": 0.1, "document_flops": 0.1, "rise_steps": 0}
    with pytest.raises(ConfigError, match="ranking is 'mse'.*margin-mse, kl, contrastive"):
        SparseEmbedLoss(**settings, ranking="mse")
    weights = drawn(3, 4)
    with pytest.raises(ConfigError, match="kl needs scores of a teacher"):
        SparseEmbedLoss(**settings, ranking="kl")(SCORES, SCORES, weights, weights, step=0)
    with pytest.raises(ConfigError, match="contrastive has no use for"):
        loss = SparseEmbedLoss(**settings, ranking="contrastive")
        loss(SCORES, SCORES, weights, weights, step=0, teacher=TEACHER)
