"""A SparseEmbed in a folder: every tensor comes back bit for bit, and what is damaged or foreign is refused."""

import json
import shutil

import pytest
import torch
from masked_models import TEXTS, sparse_encoder

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


@pytest.mark.parametrize(("kind", "heads", "tied"), [("bert", "two", True), ("roberta", "shared", False)])
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


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"format": 2}, ConfigError, "format 2"),
        ({"heads": "shared"}, DataError, "tensors are not those of the model: heads.query.*expected nowhere"),
        ({"tied": False}, DataError, "tied is False, but tie_word_embeddings in config.json is True"),
        ({"embedding_size": 5}, DataError, r"projections\.document\.bias is \(4,\), expected \(5,\)"),
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
