"""Losses against formulas written out, and against what sentence-transformers computes."""

import pytest
import tiny_training as tiny
import torch
from sentence_transformers.sentence_transformer.losses import CoSENTLoss, SoftmaxLoss
from torch.nn.functional import cross_entropy, normalize

from sentflow.training.recipes.consert import DIFFERENCE, DIFFERENCE_AND_SQUARE, nt_xent, pair_features
from sentflow.training.recipes.simcse import in_batch_cross_entropy

N, WIDTH = 12, 16
TOLERANCE = 1e-5  # sums of float32 in another order


def drawn(seed: int, n: int = 3) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(N, WIDTH, generator=generator) for _ in range(n)]


def cosines(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return normalize(a) @ normalize(b).T


def test_the_unsupervised_loss_is_the_cross_entropy_over_cosines():
    a, b, _ = drawn(0)
    expected = cross_entropy(cosines(a, b) / 0.05, torch.arange(N))
    assert in_batch_cross_entropy(a, b, temperature=0.05).item() == pytest.approx(
        expected.item(), rel=TOLERANCE
    )


def test_the_weight_is_added_to_the_logit_of_the_own_negative_alone():
    weight = -0.7
    a, b, c = drawn(3)
    logits = torch.cat([cosines(a, b), cosines(a, c)], dim=1) / 0.05
    for row in range(N):
        logits[row, N + row] += weight
    found = in_batch_cross_entropy(a, b, c, temperature=0.05, own_negative_weight=weight)
    assert found.item() == pytest.approx(cross_entropy(logits, torch.arange(N)).item(), rel=TOLERANCE)


def test_nt_xent_is_the_sum_of_both_directions_with_negatives_of_the_same_view():
    a, b, _ = drawn(0)
    itself = torch.eye(N) * -1e9
    expected = sum(
        cross_entropy(torch.cat([cosines(x, y), cosines(x, x) + itself], dim=1) / 0.1, torch.arange(N))
        for x, y in ((a, b), (b, a))
    )
    assert nt_xent(a, b, temperature=0.1).item() == pytest.approx(expected.item(), rel=TOLERANCE)


def test_features_of_pairs_are_those_of_the_loss_of_sentence_transformers():
    class Columns(torch.nn.Module):
        device = torch.device("cpu")

        def forward(self, features):
            return {"sentence_embedding": features["vectors"]}

    u, v, _ = drawn(6)
    labels = torch.arange(N) % 3
    theirs = SoftmaxLoss(Columns(), WIDTH, num_labels=3)
    expected = theirs([{"vectors": u}, {"vectors": v}], labels)
    found = cross_entropy(theirs.classifier(pair_features(u, v, form=DIFFERENCE)), labels)
    assert found.item() == pytest.approx(expected.item(), rel=TOLERANCE)


def test_the_square_of_the_greater_value_is_a_fourth_block():
    u, v = torch.tensor([[1.0, -3.0]]), torch.tensor([[-2.0, -2.0]])
    assert pair_features(u, v, form=DIFFERENCE_AND_SQUARE).tolist() == [[1, -3, -2, -2, 3, 1, 1, 4]]


@pytest.fixture(scope="module")
def objective(tmp_path_factory):
    encoder = tiny.encoder(tmp_path_factory.mktemp("bert"), double=True)
    return tiny.recipe("cosent", encoder, scale=3.0)


def test_the_loss_is_that_of_sentence_transformers(objective):
    views = tiny.vectors(objective.eval(), objective.views(tiny.LABELLED, None))
    labels = torch.tensor([row["label"] for row in tiny.LABELLED])
    oracle = CoSENTLoss(model=None, scale=3.0).compute_loss_from_embeddings(views, labels)
    found = objective.loss(views, tiny.LABELLED)
    assert found.item() == pytest.approx(oracle.item(), rel=1e-12)
    assert found.item() > 0


def test_pairs_with_equal_labels_have_neither_loss_nor_gradient(objective):
    rows = [{**row, "label": 1} for row in tiny.LABELLED]
    objective.zero_grad()
    found = objective.loss(tiny.vectors(objective, objective.views(rows, None)), rows)
    found.backward()
    assert found.item() == 0
    assert all(value.grad is None or not value.grad.any() for value in objective.parameters())
