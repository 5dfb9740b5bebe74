"""No tensor of a model is random: what is missing, too much or of another shape refuses it, and honest ones load."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules
from tiny_bert import TEXTS, save_tiny_bert
from transformers import AutoModel

from sentflow.encoders.kind import Context
from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
from sentflow.encoders.settings import VectorSettings
from sentflow.errors import ConfigError, DataError

QUERY = "encoder.layer.0.attention.self.query.weight"
RANDOM = "so it would be random"


@pytest.fixture
def bert(tmp_path):
    return save_tiny_bert(tmp_path / "bert")


def load(folder, *, plain=False, allow_pickle=False, **settings):
    about, context = {"allow_pickle": allow_pickle}, Context(devices=("cpu",))
    return SentenceTransformerEncoder.of_folder(
        folder, VectorSettings(**settings), context, about, plain=plain
    )


def vectors(encoder):
    return encoder.encode(TEXTS, role="text", task=None).tobytes()


def change(folder, edit):
    """Rewrite the weights of a folder: `edit` takes name → tensor and returns the same."""
    path = folder / "model.safetensors"
    tensors = edit(load_file(path))
    save_file(tensors, path, metadata={"format": "pt"})


def edit_json(path, **values):
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **values}), encoding="utf-8")


def save_model(folder, *later, bert):
    """A tiny BERT with mean pooling and further modules, as sentence-transformers saves it."""
    transformer = modules.Transformer(str(bert))
    parts = [transformer, modules.Pooling(8, "mean"), *later]
    SentenceTransformer(modules=parts, device="cpu").save(str(folder))
    return folder


def renamed(tensors):
    return {name.replace(QUERY, "x." + QUERY): tensor for name, tensor in tensors.items()}


def without(tensors):
    return {name: tensor for name, tensor in tensors.items() if name != QUERY}


def narrower(tensors):
    return {**tensors, QUERY: tensors[QUERY][:4].clone()}


@pytest.mark.parametrize("plain", [False, True], ids=["sentence-transformers", "transformers"])
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (without, rf"1 missing, {RANDOM}: {QUERY}\. Take"),
        (renamed, rf"1 missing, {RANDOM}: {QUERY}; 1 without a place in the model: \S*x\.{QUERY}"),
        (narrower, rf"1 of another shape than config\.json says: {QUERY} \(4×8 instead of 8×8\)"),
    ],
)
def test_weights_that_are_not_those_of_the_model_are_refused(bert, edit, told, plain):
    change(bert, edit)
    with pytest.raises(DataError, match=told):
        load(bert, plain=plain)


@pytest.mark.parametrize("damage", ["missing", "unexpected", "narrow", "no file"])
def test_later_modules_are_held_to_the_same(bert, tmp_path, damage):
    model = save_model(tmp_path / "model", modules.Dense(8, 4), bert=bert)
    folder = model / "2_Dense"
    first = sorted(load_file(folder / "model.safetensors"))[0]
    edits = {
        "missing": lambda tensors: {k: v for k, v in tensors.items() if k != first},
        "unexpected": lambda tensors: {**tensors, "more": torch.ones(1)},
        "narrow": lambda tensors: {**tensors, first: tensors[first][:2].clone()},
    }
    if damage == "no file":
        (folder / "model.safetensors").unlink()
    else:
        change(folder, edits[damage])
    with pytest.raises(DataError, match=r"cannot be loaded \((RuntimeError|ValueError): .*Take the files"):
        load(model)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model_kwargs": {"ignore_mismatched_sizes": True}}, "model_kwargs.ignore_mismatched_sizes"),
        ({"model_args": {"weights_only": False}}, "model_args.weights_only"),
        ({"processor_kwargs": {"subfolder": ".."}}, "processor_kwargs.subfolder"),
        ({"tokenizer_name_or_path": "/elsewhere"}, "tokenizer_name_or_path"),
    ],
)
def test_words_of_a_model_about_its_own_loading_are_refused(bert, tmp_path, settings, told):
    model = save_model(tmp_path / "model", bert=bert)
    edit_json(model / "sentence_bert_config.json", **settings)
    with pytest.raises(ConfigError, match=rf"sentence_bert_config\.json: {told} would change how"):
        load(model)


def test_pickles_are_read_as_tensors_only(bert, monkeypatch):
    seen = []
    torch_load = torch.load
    monkeypatch.setattr(
        torch,
        "load",
        lambda *args, **kwargs: seen.append(kwargs["weights_only"]) or torch_load(*args, **kwargs),
    )
    torch.save(load_file(bert / "model.safetensors"), bert / "pytorch_model.bin")
    (bert / "model.safetensors").unlink()
    load(bert, allow_pickle=True)
    assert set(seen) == {True}


def test_a_pickle_of_a_later_module_is_refused_whatever_lies_beside_it(bert, tmp_path):
    model = save_model(tmp_path / "model", modules.Dense(8, 4), bert=bert)
    weights = model / "2_Dense/model.safetensors"
    torch.save(load_file(weights), model / "2_Dense/pytorch_model.bin")
    weights.rename(model / "2_Dense/model.safetensors.index.json")
    with pytest.raises(ConfigError, match="as a pickle only"):
        load(model)


def test_sharded_weights_give_the_same_vectors(bert):
    expected = vectors(load(bert))
    model = AutoModel.from_pretrained(bert)
    (bert / "model.safetensors").unlink()
    model.save_pretrained(bert, max_shard_size="3KB")
    assert (bert / "model.safetensors.index.json").is_file()
    (bert / "pytorch_model.bin").write_bytes(b"not read")
    assert vectors(load(bert)) == vectors(load(bert, plain=True)) == expected
