"""CoSENT: its loss is that of sentence-transformers, and equal labels teach nothing."""

import pytest
import tiny_training as tiny
import torch
from sentence_transformers.sentence_transformer.losses import CoSENTLoss


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
