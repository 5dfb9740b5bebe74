"""Options of neural model entries, against transformers and sentence-transformers themselves."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from tiny_bert import TEXTS, save_tiny_bert
from transformers import AutoModel, AutoTokenizer

from sentflow.encoders.kind import Context
from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
from sentflow.encoders.neural.encoder import BatchRunner
from sentflow.encoders.neural.load import LAYER_POOLINGS, TOKEN_POOLINGS
from sentflow.encoders.settings import PromptNames, VectorSettings
from sentflow.errors import DataError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_bert(tmp_path_factory.mktemp("bert"))


def load(folder, **settings):
    names = settings.pop("prompt_names", {})
    settings = VectorSettings(**settings, prompt_names=PromptNames(**names))
    context = Context(devices=("cpu",))
    return SentenceTransformerEncoder.of_folder(folder, settings, context, plain=True)


def encode(encoder, texts=TEXTS, role="text", task=None):
    return encoder.encode(texts, role=role, task=task)


def hidden_states(folder, text):
    """(layers + 1, tokens, width) of one text without any padding, from transformers alone."""
    model = AutoModel.from_pretrained(folder).eval()
    features = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        states = model(**features, output_hidden_states=True).hidden_states
    return torch.stack(states)[:, 0].double().numpy()


def by_hand(states, pooling):
    last, tokens = states[-1], np.arange(1, states.shape[1] + 1)[:, None]
    return {
        "cls": last[0],
        "mean": last.mean(axis=0),
        "max": last.max(axis=0),
        "last-token": last[-1],
        "mean-sqrt-length": last.sum(axis=0) / np.sqrt(len(last)),
        "weighted-mean": (last * tokens).sum(axis=0) / tokens.sum(),
        # states[0] is the embedding layer, states[1] the first transformer layer
        "embedding-last": ((states[0] + states[3]) / 2).mean(axis=0),
        "first-last": ((states[1] + states[3]) / 2).mean(axis=0),
        "last-two": ((states[2] + states[3]) / 2).mean(axis=0),
    }[pooling]


@pytest.mark.parametrize("pooling", [*TOKEN_POOLINGS, *LAYER_POOLINGS])
def test_a_pooling_is_what_its_name_says_and_padding_does_not_count(folder, pooling):
    # one batch of texts of 3 to 11 tokens: all but the longest are padded
    vectors = encode(load(folder, pooling=pooling))
    expected = [by_hand(hidden_states(folder, text), pooling) for text in TEXTS]
    assert vectors == pytest.approx(np.array(expected), abs=1e-5)


def test_autocast_is_that_of_torch(folder):
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        features = AutoTokenizer.from_pretrained(folder)(TEXTS[1], return_tensors="pt")
        state = AutoModel.from_pretrained(folder).eval()(**features).last_hidden_state
    expected = state[0].float().mean(dim=0).numpy()
    # the same operations on the same shapes; a sum may be taken in another order
    vectors = encode(load(folder, dtype="bfloat16-autocast"), [TEXTS[1]])
    assert vectors[0] == pytest.approx(expected, abs=1e-6)


def test_a_processor_without_bfloat16_is_told_that_it_is_slower(folder, monkeypatch, caplog):
    for able, told in (({"avx512_bf16": True}, False), ({"avx2": True}, True)):
        caplog.clear()
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda able=able: able)
        load(folder, dtype="bfloat16-autocast")
        assert ("no instructions for bfloat16" in caplog.text) == told


def test_truncated_vectors_are_those_of_sentence_transformers(folder):
    model = SentenceTransformer(str(folder), device="cpu", truncate_dim=5)
    expected = model.encode(TEXTS, normalize_embeddings=True)
    assert encode(load(folder, truncate_dim=5, normalise=True)) == pytest.approx(expected, abs=1e-6)


def test_long_texts_lose_the_end_that_was_asked_for(folder):
    text = "lei ação projeto não saúde"
    for truncation, kept in (("end", "lei ação"), ("start", "não saúde")):
        encoder = load(folder, max_tokens=4, truncation=truncation)  # [CLS], two words, [SEP]
        vectors = encode(encoder, [text, kept])
        assert vectors[0] == pytest.approx(vectors[1], abs=1e-5)
        assert (encoder.reading.lost > 0).sum() == 1


def test_long_texts_are_refused_by_name_if_asked_for(folder):
    encoder = load(folder, max_tokens=4, truncation="refuse")
    with pytest.raises(DataError, match=r"2 of 5 texts have more than 4 tokens: row 2 \('ação projeto"):
        encoder.plan(TEXTS, role="text", task=None)
    assert encode(encoder, ["lei", "saúde não"]).shape == (2, 8)


def test_the_prompt_follows_role_and_task(folder):
    prompts = {"query": "saúde: ", "law": "lei: "}
    encoder = load(folder, prompts=prompts, prompt_names={"tasks": {"F1A": "law"}})
    plain = load(folder)
    for role, task, prompt in (("text", None, ""), ("query", None, "saúde: "), ("text", "F1A", "lei: ")):
        expected = encode(plain, [prompt + text for text in TEXTS])
        assert encode(encoder, role=role, task=task) == pytest.approx(expected, abs=1e-6)


def test_several_devices_take_turns_and_change_nothing(folder, monkeypatch):
    encoder = load(folder, batch_size=1)
    expected = encode(encoder)
    models = [load(folder)._models[0] for _ in range(3)]
    several = SentenceTransformerEncoder(*models, settings=VectorSettings(batch_size=1))
    monkeypatch.setattr(BatchRunner, "_is_processor", lambda self: False)
    used = []
    for model in models:
        model.register_forward_hook(lambda module, *_: used.append(id(module)))
    assert encode(several) == pytest.approx(expected, abs=1e-6)
    assert sorted(used.count(id(model)) for model in models) == [1, 2, 2]


def test_the_default_prompt_of_the_model_is_used_and_can_be_switched_off(folder):
    named = {"prompts": {"default": "saúde: "}, "default_prompt_name": "default"}
    model = SentenceTransformer(str(folder), device="cpu", **named)
    own, none = (
        encode(SentenceTransformerEncoder(model, settings=VectorSettings(**prompt)))
        for prompt in ({}, {"prompt": ""})
    )
    plain = load(folder)
    assert own == pytest.approx(encode(plain, [f"saúde: {text}" for text in TEXTS]), abs=1e-6)
    assert none == pytest.approx(encode(plain), abs=1e-6)
