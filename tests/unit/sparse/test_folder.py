"""A SparseEmbed in a folder: every tensor comes back bit for bit, and what is damaged or foreign is refused."""

import json
import shutil

import pytest
import torch
from masked_models import KINDS, TEXTS, sparse_encoder
from safetensors.torch import load_file, save_file
from tiny_bert import save_tiny_masked_bert

from sentflow.errors import ConfigError, DataError
from sentflow.sparse.folder import load_sparse_embed, save_sparse_embed


def trained(folder, kind="bert", **options):
    """A model all of whose tensors were moved, so that no two that may differ are equal."""
    model = sparse_encoder(folder, kind, **options)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for tensor in model.parameters():
            tensor.add_(0.1 * torch.randn(tensor.shape, generator=generator))
    return model


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    place = tmp_path_factory.mktemp("saved")
    save_sparse_embed(trained(place / "start", heads="two"), place / "model")
    return place / "model"


@pytest.fixture
def damaged(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "model")


def edited(folder, file="sparse_embed.json", **changes):
    path = folder / file
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("heads", ["shared", "two"])
@pytest.mark.parametrize("tied", [True, False])
def test_every_tensor_comes_back_and_texts_give_the_same(tmp_path, kind, heads, tied):
    options = {"heads": heads, "tied": tied, "k_query": 3, "k_documents": 5, "max_tokens": 9}
    model = trained(tmp_path / "start", kind, projection_bias=tied, **options)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    save_sparse_embed(model, tmp_path / "model")
    found = load_sparse_embed(tmp_path / "model")
    assert found.state_dict().keys() == before.keys() == model.state_dict().keys()
    for name, tensor in before.items():
        assert torch.equal(found.state_dict()[name], tensor), name
        assert torch.equal(model.state_dict()[name], tensor), name
    words = found.encoder.get_input_embeddings().weight
    assert all((found.head(side).decoder.weight is words) == tied for side in ("query", "document"))
    assert (found.k, found.max_tokens, found.training) == (model.k, 9, False)
    for side in ("query", "document"):
        expected, given = (one.encode(TEXTS[kind], side=side) for one in (model, found))
        assert all(torch.equal(given[name], expected[name]) for name in expected)


def test_a_second_model_replaces_the_first(saved, damaged, tmp_path):
    other = trained(tmp_path / "other", heads="shared", embedding_size=3)
    save_sparse_embed(other, damaged)
    assert load_sparse_embed(damaged).embedding_size == 3
    assert not any("query" in name for name in load_file(damaged / "sparse_embed.safetensors"))


def test_splade_reads_the_head_for_documents(saved):
    from sentence_transformers import SparseEncoder

    texts = TEXTS["bert"]
    model = load_sparse_embed(saved)
    library = SparseEncoder(str(saved), device="cpu").encode(texts, convert_to_sparse_tensor=False)
    weights = model.encode(texts, model.n_terms, "document")["sparse_activations"]
    torch.testing.assert_close(weights, library, rtol=1e-5, atol=1e-6)


def test_fewer_tokens_can_be_asked_for_and_not_more_than_there_are_positions(saved):
    assert load_sparse_embed(saved, max_tokens=4).max_tokens == 4
    with pytest.raises(ConfigError, match="max_tokens is 1000, and the model has 32 positions"):
        load_sparse_embed(saved, max_tokens=1000)


def test_a_folder_of_another_model_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"holds no sparse_embed\.json.*save_sparse_embed.*kind splade"):
        load_sparse_embed(save_tiny_masked_bert(tmp_path / "plain"))


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        (
            {"format": 2},
            ConfigError,
            "format 2, and this version of sentflow reads format 1. Save the model again",
        ),
        ({"heads": "three"}, DataError, "heads must be one of shared, two.*Fetch the model again"),
        ({"heads": "shared"}, DataError, "tensors are not those of the model: heads.query.*expected nowhere"),
        ({"k_query": 0}, DataError, "k_query must be a whole number from 1"),
        ({"tied": 1}, DataError, "tied is neither true nor false"),
        ({"tied": False}, DataError, "tied is False, but tie_word_embeddings in config.json is True"),
        ({"embedding_size": 5}, DataError, r"projections\.document\.bias is \(4,\), expected \(5,\)"),
        ({"projection_bias": False}, DataError, r"projections\.document\.bias.*expected nowhere"),
        ({"pooling": "max"}, DataError, "missing or not known: pooling"),
    ],
)
def test_a_wrong_description_is_refused(damaged, changes, error, said):
    edited(damaged, **changes)
    with pytest.raises(error, match=said):
        load_sparse_embed(damaged)


@pytest.mark.parametrize("file", ["sparse_embed.safetensors", "model.safetensors", "sparse_embed.json"])
def test_a_cut_file_is_refused(damaged, file):
    whole = (damaged / file).read_bytes()
    (damaged / file).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="damaged|cannot be loaded"):
        load_sparse_embed(damaged)


def test_missing_tensors_are_refused_and_pickles_are_not_read(damaged):
    tensors = load_file(damaged / "sparse_embed.safetensors")
    save_file(
        {name: tensor for name, tensor in tensors.items() if "heads" not in name}, damaged / "few.safetensors"
    )
    (damaged / "few.safetensors").rename(damaged / "sparse_embed.safetensors")
    with pytest.raises(DataError, match=r"heads\.query\.decoder\.bias is missing"):
        load_sparse_embed(damaged)
    weights = load_file(damaged / "model.safetensors")
    (damaged / "model.safetensors").unlink()
    torch.save(weights, damaged / "pytorch_model.bin")
    with pytest.raises(DataError, match="cannot be loaded"):
        load_sparse_embed(damaged)


def test_a_layer_that_is_not_in_the_files_is_refused(damaged):
    weights = load_file(damaged / "model.safetensors")
    weights.pop("cls.predictions.transform.dense.weight")
    save_file(weights, damaged / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        DataError, match="in whose place would stand random numbers: cls.predictions.transform"
    ):
        load_sparse_embed(damaged)
