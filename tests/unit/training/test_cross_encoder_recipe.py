"""The recipe of a cross-encoder: what it reads, its losses, and what it leaves."""

import pytest
import tiny_training as tiny
import torch
from sentence_transformers import CrossEncoder
from torch.nn.functional import binary_cross_entropy_with_logits

from sentflow.encoders.fetch.cross_encoder_descriptions import describe_cross_encoder
from sentflow.errors import ConfigError, DataError
from sentflow.training.cache import chunks_by_length, gradients
from sentflow.training.draws import Draws
from sentflow.training.exported import manifest_of

STEP = Draws(1, ("step", 1))
PAIRS = [(row["text"], row["other"]) for row in tiny.PAIRS]


def objective(folder, kind="bert", **settings):
    return tiny.recipe("cross-encoder", tiny.encoder(folder, kind=kind), **settings)


def scores(found, rows):
    return tiny.vectors(found.eval(), found.views(rows, STEP))


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_what_is_left_is_a_cross_encoder_with_the_scores_of_training(tmp_path, kind):
    found = objective(tmp_path / "start", kind)
    found.write(found.exported(), tmp_path / "saved")
    read = CrossEncoder(str(tmp_path / "saved"), device="cpu", activation_fn=torch.nn.Identity())
    expected = torch.from_numpy(read.predict(PAIRS))
    torch.testing.assert_close(scores(found, tiny.PAIRS)[0][:, 0].detach(), expected, rtol=1e-4, atol=1e-5)
    assert describe_cross_encoder(tmp_path / "saved", allow_pickle=False).dimension is None
    manifest = manifest_of(tmp_path / "saved", model="mine", kind="cross-encoder")
    assert (manifest.kind, manifest.source) == ("cross-encoder", {"trained": "mine"})


def test_the_document_is_told_from_the_negative(tmp_path):
    found = objective(tmp_path)
    first, second = (view[:, 0] for view in scores(found, tiny.TRIPLETS))
    expected = torch.nn.functional.softplus(second - first).mean()
    assert found.loss(scores(found, tiny.TRIPLETS), tiny.TRIPLETS).item() == pytest.approx(
        expected.item(), rel=1e-5
    )
    right = int((first > second).sum())
    assert found.measures(scores(found, tiny.TRIPLETS), tiny.TRIPLETS)["accuracy"] == (right, 4)


def test_labels_are_learnt_one_by_one(tmp_path):
    found = objective(tmp_path, loss="labels")
    rows = [{**row, "label": place % 2} for place, row in enumerate(tiny.PAIRS)]
    views = scores(found, rows)
    expected = binary_cross_entropy_with_logits(views[0][:, 0], torch.tensor([0.0, 1, 0, 1]))
    assert found.loss(views, rows).item() == pytest.approx(expected.item(), rel=1e-5)
    with pytest.raises(DataError, match="labels 0 and 1"):
        found.loss(views, tiny.LABELLED)


def test_without_dropout_two_passes_are_equal(tmp_path):
    found = objective(tmp_path, dropout=0.0)
    first, second = (tiny.vectors(found.train(), found.views(tiny.PAIRS, STEP), seed)[0] for seed in (1, 2))
    assert torch.equal(first, second)


def test_it_learns(tmp_path):
    found = objective(tmp_path, dropout=0.0)
    optimiser = torch.optim.AdamW(found.parameters(), lr=5e-3)
    losses = []
    for _ in range(12):
        optimiser.zero_grad()
        sums = gradients(
            found, tiny.TRIPLETS, STEP, chunks=lambda one: chunks_by_length(one, 64), cached=False
        )
        losses.append(sums.loss)
        optimiser.step()
    assert losses[-1] < 0.5 * losses[0]


def test_a_start_without_a_classifier_is_refused(tmp_path, monkeypatch):
    import sentflow.training.recipes.cross_encoder as recipe

    def none_for(_config):
        raise ValueError("unrecognised configuration")

    monkeypatch.setattr(recipe.AutoModelForSequenceClassification, "from_config", none_for)
    with pytest.raises(ConfigError, match="no classifier for a bert"):
        objective(tmp_path)
