"""Contrastive tension: two copies, and the losses of sentence-transformers."""

import pytest
import torch
from sentence_transformers.sentence_transformer.losses import (
    ContrastiveTensionLoss,
    ContrastiveTensionLossInBatchNegatives,
)
from trainable import ROWS, trainable_encoder

from sentflow.training.draws import Draws
from sentflow.training.recipes import ct
from sentflow.training.recipes.settings import CT

DRAWS = Draws(5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bert")


@pytest.fixture
def build(folder):
    def built(objective, double=False, **changed):
        settings = CT(**{"negatives": 2, "objective": objective, **changed})
        found = ct.ContrastiveTension(
            trainable_encoder(folder, double=double), settings, DRAWS, max_tokens=12
        )
        return found.double() if double else found

    return built


def apart(objective):
    """Let the two copies differ, as they do after a step."""
    with torch.no_grad():
        for number, weight in enumerate(objective.other.parameters()):
            weight.mul_(1 + 0.01 * (number % 3))
    return objective


def vectors(objective, rows):
    return [objective.represent(view, number) for number, view in enumerate(objective.views(rows, DRAWS))]


def test_the_loss_in_batches_is_that_of_sentence_transformers(build):
    objective = apart(build("in-batch", scale=10.0)).eval()
    theirs = ContrastiveTensionLossInBatchNegatives(objective.encoder, scale=10.0)
    theirs.model1 = objective.other
    features = objective.padded(objective.views(ROWS, DRAWS)[0])
    found = objective.loss(vectors(objective, ROWS), ROWS)
    assert found.item() == pytest.approx(theirs([features], None).item(), rel=1e-5)  # single precision


def test_the_loss_of_pairs_is_that_of_sentence_transformers(build):
    objective = apart(build("pairs")).eval()
    theirs = ContrastiveTensionLoss(objective.encoder)
    theirs.model1 = objective.other
    rows = [*ROWS, ROWS[3]]  # the second group begins with the same text as it ends with
    features = [objective.padded(view) for view in objective.views(rows, DRAWS)]
    found = objective.loss(vectors(objective, rows), rows)
    assert found.item() == pytest.approx(theirs(features, None).item(), rel=1e-5)  # single precision
