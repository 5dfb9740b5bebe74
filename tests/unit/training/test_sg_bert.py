"""SG-BERT: what is trained, what is frozen, and what is exported."""

import numpy as np
import pytest
import torch
from trainable import ROWS, WIDTH, trainable_encoder

from sentflow.errors import ConfigError
from sentflow.training.cache import chunks_by_length, gradients
from sentflow.training.draws import Draws
from sentflow.training.recipes import sg_bert
from sentflow.training.recipes.table import RECIPES

LAYERS = 3  # of the tiny BERT, the output of its embeddings included
DRAWS = Draws(5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bert")


@pytest.fixture
def build(folder):
    def built(double=False, **changed):
        settings = {**RECIPES["sg-bert"].settings, "head_width": 16, **changed}
        encoder = trainable_encoder(folder, double=double)
        objective = sg_bert.build(encoder, settings, DRAWS, max_tokens=12)
        return (objective.double() if double else objective).train()

    return built


def step(objective, rows=ROWS, *, number=0, cached=False):
    return gradients(
        objective,
        rows,
        DRAWS.of("step", number),
        chunks=lambda examples: chunks_by_length(examples, 24),
        cached=cached,
    ).loss


def trained(objective, steps=2):
    optimiser = torch.optim.AdamW([p for p in objective.parameters() if p.requires_grad], lr=1e-3)
    for number in range(steps):
        optimiser.zero_grad()
        step(objective, number=number)
        optimiser.step()
    return objective


def weights(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()]).clone()


def test_guide_and_embedding_layer_stay_as_they_were(build):
    objective = build()
    network = objective.encoder[0].auto_model
    guide, embeddings, layers = (
        weights(each) for each in (objective.guide.network, network.embeddings, network.encoder)
    )
    trained(objective)
    assert torch.equal(weights(objective.guide.network), guide)
    assert torch.equal(weights(network.embeddings), embeddings)
    assert not torch.equal(weights(network.encoder), layers)


def test_the_regulariser_is_the_distance_from_the_start(build):
    objective = build()
    start = weights(objective.encoder[0].auto_model)
    (at_start,) = objective.further_losses(ROWS, DRAWS)
    trained(objective)
    (later,) = objective.further_losses(ROWS, DRAWS)
    moved = (weights(objective.encoder[0].auto_model) - start).square().sum().item()
    assert at_start.item() == 0
    assert later.item() == pytest.approx(0.1 * moved, rel=1e-4)  # sums in single precision
    assert moved > 0
    assert list(build(regulariser=0.0).further_losses(ROWS, DRAWS)) == []


def test_the_head_is_trained_and_not_exported(build):
    objective = build()
    head = weights(objective.head)
    trained(objective)
    exported = objective.exported()
    assert not torch.equal(weights(objective.head), head)
    assert sum(p.numel() for p in exported.parameters()) == sum(
        p.numel() for p in objective.parameters()
    ) - len(head)
    vector = exported.eval().encode(["lei"])
    torch.nn.init.zeros_(objective.head[0].weight)
    assert np.array_equal(exported.encode(["lei"]), vector)
    assert vector.shape == (1, WIDTH)


def test_a_head_is_two_layers_with_gelu(build):
    head = build(head_width=16).head
    assert [type(layer).__name__ for layer in head] == ["Linear", "GELU", "Linear", "GELU"]
    assert [layer.weight.shape for layer in head[::2]] == [(16, WIDTH), (16, 16)]
    assert not torch.cat([layer.bias for layer in head[::2]]).any()


def test_state_of_a_training_holds_no_guide_and_a_new_one_is_the_same(build):
    first, again = trained(build()), build()
    assert not any("guide" in name for name in first.state_dict())
    again.load_state_dict(first.state_dict())
    assert step(again, number=7) == step(first, number=7)


@pytest.mark.parametrize("cached", [False, True])
def test_a_training_with_the_same_draws_is_the_same(build, cached):
    assert step(build(), cached=cached) == step(build(), cached=cached)


@pytest.mark.parametrize("loss", ["base", "opt1", "opt2"])
def test_one_layer_is_drawn_for_each_text_in_each_step(build, loss):
    objective = build(loss=loss)
    drawn = [
        [example["layer"] for example in objective.views(ROWS, DRAWS.of("step", number))[1]]
        for number in range(40)
    ]
    assert {layer for step in drawn for layer in step} == set(range(LAYERS))
    assert any(len(set(step)) > 1 for step in drawn)
    assert drawn[0] == [example["layer"] for example in objective.views(ROWS, DRAWS.of("step", 0))[1]]
    examples = objective.views(ROWS, DRAWS.of("step", 0))[1]
    found = objective.represent(examples, 1)
    every = objective.guide.layers(objective.padded(examples), pooling="mean")
    assert torch.equal(found[:, 0], every[range(len(ROWS)), drawn[0]])


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_layers_are_pooled_over_all_tokens_but_padding(build, pooling):
    guide, texts = build(view_pooling=pooling), ["lei", "ação projeto lei não"]
    examples = [{"input_ids": guide.tokens(text)} for text in texts]
    found = guide.represent(examples, 1)
    states = guide.guide.network(**guide.padded(examples[:1]), output_hidden_states=True).hidden_states
    expected = torch.stack([state[0].mean(0) if pooling == "mean" else state[0].amax(0) for state in states])
    assert found.shape == (2, LAYERS, WIDTH)
    assert not found.requires_grad
    # Sums of other shapes may round otherwise
    torch.testing.assert_close(found[0], expected)


def test_dropout_of_the_guide_is_a_defect_with_a_name(build):
    plain, defect = build(), build(defects=["guide-dropout"])
    examples = plain.views(ROWS, DRAWS)[1]
    assert torch.equal(plain.represent(examples, 1), plain.represent(examples, 1))
    assert not torch.equal(defect.represent(examples, 1), defect.represent(examples, 1))


def test_the_lost_negative_of_opt2_is_a_defect_with_a_name(build):
    plain, defect = build(loss="opt2"), build(loss="opt2", defects=["opt2-off-by-one"])
    assert step(defect) < step(plain)


@pytest.mark.parametrize("loss", ["base", "opt1", "opt2", "opt3"])
def test_losses_at_the_published_temperature_are_finite_with_gradients(build, loss):
    objective = build(loss=loss)
    assert np.isfinite(step(objective))
    assert all(torch.isfinite(p.grad).all() for p in objective.parameters() if p.grad is not None)


@pytest.mark.parametrize("loss", ["base", "opt3"])
def test_a_cache_changes_no_gradient(build, loss):
    found = []
    for cached in (False, True):
        objective = build(double=True, loss=loss, head_width=None if loss == "base" else 16)
        step(objective, cached=cached)
        found.append(torch.cat([p.grad.flatten() for p in objective.parameters() if p.grad is not None]))
    assert ((found[1] - found[0]).norm() / found[0].norm()).item() < 1e-12


def test_pairs_are_guided_by_the_other_text_and_negatives_are_further_candidates(build):
    rows = [{**row, "other": "saúde", "negative": "projeto não"} for row in ROWS]
    objective = build()
    own, guided, negatives = objective.views(rows, DRAWS)
    assert own == objective.views(ROWS, DRAWS)[0]
    assert guided[0]["input_ids"] == objective.tokens("saúde")
    assert negatives[0]["input_ids"] == objective.tokens("projeto não")
    without = [{"text": row["text"], "other": row["other"]} for row in rows]
    assert step(build(), rows) > step(build(), without)


def test_an_encoder_of_another_width_is_refused(build, folder):
    from sentence_transformers.sentence_transformer.modules import Dense

    encoder = trainable_encoder(folder)
    encoder.add_module("2", Dense(WIDTH, 8))
    with pytest.raises(ConfigError, match="8 wide"):
        sg_bert.build(encoder, RECIPES["sg-bert"].settings, DRAWS, max_tokens=12)
