"""Masked language modelling, Condenser and coCondenser against transformers and against their definitions."""

import numpy as np
import pytest
import tiny_training as tiny
import torch
from safetensors.torch import load_file

from sentflow.training.draws import Draws
from sentflow.training.language_modelling import NOT_PREDICTED, Vocabulary
from sentflow.training.layers import HEADS
from sentflow.training.recipes.cocondenser import partner_cross_entropy

STEP = Draws(1, ("step", 4))
ROWS = [*tiny.TEXTS] * 3


@pytest.mark.parametrize(("goes_on", "unfinished"), [({1}, {}), ({}, {0})])
def test_all_tokens_of_a_word_are_chosen_or_none(goes_on, unfinished):
    vocabulary = Vocabulary(90, 100, frozenset({50}), frozenset(goes_on), frozenset(unfinished), True)
    ids = [50, *[number for _ in range(20) for number in range(3)], 50]
    for seed in range(20):
        _, expected = vocabulary.masked(ids, Draws(seed))
        chosen = np.array(expected) != NOT_PREDICTED
        assert chosen.sum() == round(0.15 * 60)
        for group in ([0, 1], [2]):
            of_words = chosen[1:-1].reshape(20, 3)[:, group]
            assert (of_words.all(axis=1) | ~of_words.any(axis=1)).all()


def test_tokens_are_chosen_and_hidden_with_the_published_probabilities():
    ids = [2, *np.random.default_rng(0).integers(5, 1000, size=40_000).tolist(), 3]
    vocabulary = Vocabulary(mask=4, size=1000, special=frozenset({2, 3}))
    hidden, expected = map(np.array, vocabulary.masked(ids, Draws(1)))
    given, chosen = np.array(ids), np.array(expected) != NOT_PREDICTED
    # four standard errors of shares of 40,000 and of 6,000
    assert chosen.mean() == pytest.approx(0.15, abs=0.007)
    assert (hidden[chosen] == 4).mean() == pytest.approx(0.8, abs=0.021)
    assert (hidden[chosen] == given[chosen]).mean() == pytest.approx(0.1 + 0.1 / 1000, abs=0.016)
    assert (hidden[~chosen] == given[~chosen]).all()
    assert (expected[chosen] == given[chosen]).all()
    assert not chosen[[0, -1]].any()


def test_the_loss_is_that_of_transformers(tmp_path):
    from transformers import BertForPreTraining

    encoder = tiny.encoder(tmp_path, kind="pretrained-bert", double=True)
    objective = tiny.recipe("mlm", encoder, dropout=0)
    (view,) = objective.views(ROWS, STEP)
    features = objective.padded(view)
    labels = torch.full(features["input_ids"].shape, NOT_PREDICTED)
    for row, example in enumerate(view):
        labels[row, : len(example["expected"])] = torch.tensor(example["expected"])
    theirs = BertForPreTraining.from_pretrained(tmp_path).double().eval()
    with torch.no_grad():
        logits = theirs(**features).prediction_logits
        expected = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        found = objective.loss(tiny.vectors(objective, [view], chunk=5), ROWS)
    assert found.item() == pytest.approx(expected.item(), rel=1e-12)


def test_without_layers_the_head_reads_the_last_layer_at_the_first_token_and_an_early_one_elsewhere(tmp_path):
    encoder = tiny.encoder(tmp_path, double=True)
    objective = tiny.recipe(
        "condenser", encoder, masking="tokens", layers=0, skip_from=0, late_mlm=False, dropout=0
    )
    (view,) = objective.views(ROWS, STEP)
    found = objective.represent(view, 0)[:, 0]
    states = encoder[0].auto_model(**objective.padded(view), output_hidden_states=True).hidden_states
    mixed = torch.cat([states[-1][:, :1], states[0][:, 1:]], dim=1)
    expected = objective.language.predicted(mixed, [example["expected"] for example in view])[:, 0]
    assert torch.allclose(found, expected, rtol=1e-12)


def test_a_training_goes_on_with_the_heads_of_the_one_before(tmp_path):
    first = tiny.recipe("condenser", tiny.encoder(tmp_path / "start"), masking="tokens")
    first.write(first.exported(), tmp_path / "saved")
    names = load_file(tmp_path / "saved" / HEADS).keys()
    assert any(name.startswith("condenser.0.") for name in names)
    assert "cls.predictions.decoder.weight" not in names
    second = tiny.recipe("cocondenser", _loaded(tmp_path / "saved"), 2, masking="tokens")
    for name, value in first.condenser.state_dict().items():
        assert torch.equal(second.condenser.state_dict()[name], value)
    transform = "transform.dense.weight"
    assert torch.equal(
        second.language.head.state_dict()[transform], first.language.head.state_dict()[transform]
    )


def _loaded(folder):
    from sentflow.encoders.neural.load import load_model
    from sentflow.encoders.settings import VectorSettings

    return load_model(folder, VectorSettings(pooling="cls"), "cpu", {}, plain=False).train()


def test_each_span_is_compared_with_all_others_and_not_with_itself():
    vectors = torch.randn(6, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    total = 0.0
    for row in range(6):
        others = [place for place in range(6) if place != row]
        scores = torch.tensor([float(vectors[row] @ vectors[place]) for place in others], dtype=torch.float64)
        total -= torch.log_softmax(scores, 0)[others.index((row + 3) % 6)].item()
    found = partner_cross_entropy(vectors[:3], vectors[3:])
    assert found.item() == pytest.approx(total / 6, rel=1e-12)
