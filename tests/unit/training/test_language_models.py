"""Masked language modelling, Condenser and coCondenser against transformers and against their definitions."""

import itertools

import numpy as np
import pytest
import tiny_training as tiny
import torch
from safetensors.torch import load_file

from sentflow.errors import ConfigError
from sentflow.training.cache import gradients
from sentflow.training.draws import Draws
from sentflow.training.masking import NOT_PREDICTED, Vocabulary, masked
from sentflow.training.modules import transformer_of
from sentflow.training.prediction_heads import HEADS
from sentflow.training.recipes.cocondenser import partner_cross_entropy

STEP = Draws(1, ("step", 4))
ROWS = [*tiny.TEXTS] * 3
SPANS = [
    *[{"text": "ação projeto lei não\nsaúde não : lei projeto\nlei ação"}] * 2,
    *[{"text": "projeto saúde não\nação ação lei"}] * 2,
]


# --- whole words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("goes_on", "unfinished"), [({1}, {}), ({}, {0})])
def test_all_tokens_of_a_word_are_chosen_or_none(goes_on, unfinished):
    vocabulary = Vocabulary(90, 100, frozenset({50}), frozenset(goes_on), frozenset(unfinished))
    ids = [50, *[number for _ in range(20) for number in range(3)], 50]
    for seed in range(20):
        _, expected = masked(ids, Draws(seed), vocabulary, whole_words=True)
        chosen = np.array(expected) != NOT_PREDICTED
        assert chosen.sum() == round(0.15 * 60)
        for group in ([0, 1], [2]):
            of_words = chosen[1:-1].reshape(20, 3)[:, group]
            assert (of_words.all(axis=1) | ~of_words.any(axis=1)).all()


def test_at_least_one_token_of_a_short_text_is_chosen():
    vocabulary = Vocabulary(90, 100, frozenset({50}), frozenset({1}))
    _, expected = masked([50, 3, 50], Draws(1), vocabulary, whole_words=True)
    assert expected == [NOT_PREDICTED, 3, NOT_PREDICTED]


# --- masked language modelling ------------------------------------------------------------------------------


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


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_layer_is_tied_to_the_vectors_of_the_vocabulary_and_trained_with_them(tmp_path, kind):
    encoder = tiny.encoder(tmp_path, kind=kind)
    objective = tiny.recipe("mlm", encoder)
    words = encoder[0].auto_model.get_input_embeddings().weight
    assert objective.language.head.decoder.weight is words
    assert len([value for value in objective.parameters() if value is words]) == 1


def test_packed_texts_leave_no_token_out_and_fill_what_is_read(tmp_path):
    objective = tiny.recipe("mlm", tiny.encoder(tmp_path), packing="packed")
    (view,) = objective.views(ROWS, STEP)
    lengths = [len(example["input_ids"]) for example in view]
    assert set(lengths[:-1]) == {16}
    tokenizer = objective.encoder.tokenizer
    plain = sum(len(tokenizer(row["text"], add_special_tokens=False)["input_ids"]) for row in ROWS)
    assert sum(lengths) - 2 * len(lengths) == plain


# --- Condenser ----------------------------------------------------------------------------------------------


def test_without_layers_the_head_reads_the_last_layer_at_the_first_token_and_an_early_one_elsewhere(tmp_path):
    encoder = tiny.encoder(tmp_path, double=True)
    objective = tiny.recipe(
        "condenser", encoder, masking="tokens", layers=0, skip_from=0, late_mlm=False, dropout=0
    )
    (view,) = objective.views(ROWS, STEP)
    found = objective.represent(view, 0)[:, 0]
    states = encoder[0].auto_model(**objective.padded(view), output_hidden_states=True).hidden_states
    mixed = torch.cat([states[-1][:, :1], states[0][:, 1:]], dim=1)
    expected = objective.language.cross_entropy(mixed, [example["expected"] for example in view])
    assert torch.allclose(found, expected, rtol=1e-12)


def _states_changed(objective, layer, place):
    """Let the network tell another state of one layer at one token, as if later layers had not read it."""

    def change(_module, _inputs, output):
        states = list(output.hidden_states)
        states[layer] = states[layer].clone()
        states[layer][:, place] += 1.0
        output.hidden_states = tuple(states)

    return transformer_of(objective.encoder).auto_model.register_forward_hook(change)


def test_the_head_does_not_read_the_first_token_of_an_early_layer(tmp_path):
    objective = tiny.recipe(
        "condenser",
        tiny.encoder(tmp_path, double=True),
        masking="tokens",
        skip_from=1,
        late_mlm=False,
        dropout=0,
    )
    (view,) = objective.views(ROWS, STEP)

    def represented(layer, place):
        handle = _states_changed(objective, layer, place)
        found = objective.represent(view, 0)
        handle.remove()
        return found

    as_it_is = objective.represent(view, 0)
    assert torch.equal(represented(1, 0), as_it_is)
    assert not torch.allclose(represented(1, 2), as_it_is)
    assert not torch.allclose(represented(-1, 0), as_it_is)
    assert torch.equal(represented(-1, 2), as_it_is)


def test_the_last_layer_gets_gradients_at_the_first_token_alone(tmp_path):
    objective = tiny.recipe(
        "condenser", tiny.encoder(tmp_path, double=True), masking="tokens", late_mlm=False, dropout=0
    )
    (view,) = objective.views(ROWS, STEP)
    seen = []
    last = transformer_of(objective.encoder).auto_model.encoder.layer[-1]
    handle = last.register_forward_hook(lambda _module, _inputs, output: seen.append(output))
    loss = objective.represent(view, 0)[:, 0].sum()
    handle.remove()
    (gradient,) = torch.autograd.grad(loss, seen)
    assert gradient[:, 0].any()
    assert not gradient[:, 1:].any()


def test_late_mlm_adds_the_loss_of_the_encoder_itself(tmp_path):
    encoder = tiny.encoder(tmp_path, double=True)
    found = {}
    for name, settings in (
        ("condenser", {"late_mlm": True}),
        ("condenser", {"late_mlm": False}),
        ("mlm", {}),
    ):
        objective = tiny.recipe(name, encoder, masking="tokens", dropout=0, **settings)
        views = objective.views(ROWS, STEP)
        found[name, *settings.values()] = objective.loss(tiny.vectors(objective, views), ROWS).item()
    expected = found["condenser", False] + found["mlm",]
    assert found["condenser", True] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "rows"), [("bert", ROWS), ("distilbert", ROWS), ("roberta", [*tiny.LETTERS] * 3)]
)
def test_padding_changes_nothing(tmp_path, kind, rows):
    encoder = tiny.encoder(tmp_path, kind=kind, double=True)
    objective = tiny.recipe("condenser", encoder, masking="tokens", dropout=0)
    (view,) = objective.views(rows, STEP)
    together = objective.represent(view, 0)
    alone = torch.cat([objective.represent([example], 0) for example in view])
    assert together[:, 1].sum() > 0
    assert torch.allclose(together, alone, rtol=1e-10)


@pytest.mark.parametrize("skip_from", [3, 7])
def test_a_layer_at_or_above_the_depth_is_refused(tmp_path, skip_from):
    with pytest.raises(ConfigError, match="Write 0 to 2"):
        tiny.recipe("condenser", tiny.encoder(tmp_path), masking="tokens", skip_from=skip_from)


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
    from sentflow.encoders.kinds.neural.load import load_model
    from sentflow.encoders.kinds.neural.settings import Settings

    return load_model(
        folder, Settings(pooling="cls"), "cpu", threads=1, allow_pickle=False, plain=False
    ).train()


# --- coCondenser --------------------------------------------------------------------------------------------


def test_each_span_is_compared_with_all_others_and_not_with_itself():
    vectors = torch.randn(6, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    total = 0.0
    for row in range(6):
        others = [place for place in range(6) if place != row]
        scores = torch.tensor([float(vectors[row] @ vectors[place]) for place in others], dtype=torch.float64)
        total -= torch.log_softmax(scores, 0)[others.index((row + 3) % 6)].item()
    found = partner_cross_entropy(vectors[:3], vectors[3:])
    assert found.item() == pytest.approx(total / 6, rel=1e-12)


def test_the_two_spans_of_a_document_are_different_ones_of_it(tmp_path):
    objective = tiny.recipe("cocondenser", tiny.encoder(tmp_path), masking="tokens")
    for step in range(5):
        first, second = objective.views(SPANS, Draws(1, ("step", step)))
        for place, row in enumerate(SPANS):
            lengths = sorted(len(objective.tokens(span)) for span in row["text"].split("\n"))
            for view in (first, second):
                assert len(view[place]["input_ids"]) in lengths
    assert objective.views(SPANS, STEP) == objective.views(SPANS, STEP)


def _gradients(objective, *, cached, chunk):
    objective.zero_grad()

    gradients(
        objective,
        SPANS,
        STEP,
        chunks=lambda examples: [
            [*range(start, min(start + chunk, len(examples)))] for start in range(0, len(examples), chunk)
        ],
        cached=cached,
    )
    return {
        name: value.grad.clone() for name, value in objective.named_parameters() if value.grad is not None
    }


def _difference(first, second):
    largest = max(value.abs().max() for value in first.values())
    return max(((first[name] - second[name]).abs().max() / largest).item() for name in first)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_cache_changes_no_gradient_and_the_weight_of_the_released_code_does(tmp_path, seed):
    """Below 1e-12 in double precision with dropout on; the weight of the released code is off by more than 1e-3."""
    encoder = tiny.encoder(tmp_path, double=True)
    objective = tiny.recipe("cocondenser", encoder, seed, masking="tokens")
    whole = _gradients(objective, cached=False, chunk=2)
    assert _difference(whole, _gradients(objective, cached=True, chunk=2)) < 1e-12
    released = tiny.recipe("cocondenser", encoder, seed, masking="tokens", defects=["language-model-twice"])
    released.load_state_dict(objective.state_dict())
    assert _difference(whole, _gradients(released, cached=True, chunk=2)) > 1e-3


def test_the_cache_is_wrong_without_the_random_states_of_the_first_pass(tmp_path, monkeypatch):
    """Off by about 1 with dropout on, and by nothing where there is none to replay."""
    encoder = tiny.encoder(tmp_path, double=True)
    states = itertools.count()
    for dropout in (None, 0):
        objective = tiny.recipe("cocondenser", encoder, masking="tokens", dropout=dropout)
        whole = _gradients(objective, cached=False, chunk=2)
        with monkeypatch.context() as patched:
            patched.setattr(Draws, "torch_seed", lambda _self: next(states))
            off = _difference(whole, _gradients(objective, cached=True, chunk=2))
        assert off > 1e-3 if dropout is None else off < 1e-12
