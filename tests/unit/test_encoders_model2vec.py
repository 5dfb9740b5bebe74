"""Static embeddings: on a folder made here, where every number can be worked out, and on a real model of the mirror."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers

from sentflow.encoders.fetch import model2vec
from sentflow.encoders.kinds.model2vec import Model2vecEncoder, Settings
from sentflow.errors import DataError

REAL = "github/MinishLab/model2vec-rs/c75c126fe7aeeea34714f1cc36cef74b3c489f19/tests/fixtures"
VOCABULARY = {"[UNK]": 0, "lei": 1, "voto": 2, "de": 3}
VECTORS = np.array([[9, 9], [3, 0], [0, 4], [1, 1]], dtype=np.float32)


def write_model(folder, tensors=None, config=None, place="", vocabulary=VOCABULARY):
    (folder / place).mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    # What another program left in the file: it must not shorten or lengthen a text
    tokenizer.enable_truncation(1)
    tokenizer.enable_padding(length=7)
    tokenizer.save(str(folder / place / "tokenizer.json"))
    save_file(tensors or {"embeddings": VECTORS}, str(folder / place / "model.safetensors"))
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def encode(folder, texts, **settings):
    encoder = Model2vecEncoder.load(folder, Settings(**settings))
    return encoder.encode(texts, role="text", task=None)


def test_a_text_is_the_mean_of_its_tokens_and_unknown_ones_are_left_out(tmp_path):
    vectors = encode(write_model(tmp_path), ["lei voto", "lei lei voto xyz", "xyz", "de"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[1.5, 2], [2, pytest.approx(4 / 3)], [0, 0], [1, 1]]


def test_neighbours_change_nothing(tmp_path):
    folder = write_model(tmp_path)
    alone = encode(folder, ["lei voto de"])
    assert encode(folder, ["voto", "lei voto de", "x"])[1].tobytes() == alone[0].tobytes()


def test_rows_may_be_shared_and_weighted(tmp_path):
    tensors = {
        "embeddings": np.array([[1, 2], [10, 20]], dtype=np.float16),
        "mapping": np.array([0, 1, 1, 0], dtype=np.int32),
        "weights": np.array([1, 0.5, 2, 1], dtype=np.float64),
    }
    # (0.5 · [10, 20] + 2 · [10, 20]) / 2: the number of tokens divides, not the sum of their weights
    assert encode(write_model(tmp_path, tensors), ["lei voto"]).tolist() == [[12.5, 25]]


@pytest.mark.parametrize(
    ("config", "modules", "settings"),
    [
        ({"normalize": True}, None, {}),
        (
            None,
            ["sentence_transformers.models.StaticEmbedding", "sentence_transformers.models.Normalize"],
            {},
        ),
        ({"normalize": False}, None, {"normalise": True}),
    ],
)
def test_vectors_have_length_one_if_the_files_or_the_entry_say_so(tmp_path, config, modules, settings):
    write_model(tmp_path, config=config)
    if modules:
        entries = [{"type": module, "path": ""} for module in modules]
        (tmp_path / "modules.json").write_text(json.dumps(entries))
    vectors = encode(tmp_path, ["lei voto", "xyz"], **settings)
    assert vectors == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


def test_the_limit_counts_known_tokens(tmp_path):
    folder = write_model(tmp_path)
    assert encode(folder, ["xyz lei voto"], max_tokens=1).tolist() == [[3, 0]]


def test_the_folder_of_sentence_transformers_is_read_too(tmp_path):
    write_model(tmp_path, {"embedding.weight": VECTORS}, place="0_StaticEmbedding")
    assert encode(tmp_path, ["voto"]).tolist() == [[0, 4]]


def describe_model2vec(folder):
    return model2vec.fetch({"kind": "model2vec", "source": {"folder": str(folder)}}, folder, ())


def test_description(tmp_path):
    description = describe_model2vec(write_model(tmp_path))
    assert (description.dimension, description.pooling, description.max_tokens) == (2, "mean", None)


@pytest.mark.parametrize(
    ("tensors", "part"),
    [
        ({"other": VECTORS}, "its tensors are other, expected one of embeddings"),
        (
            {"embeddings": VECTORS, "layer": VECTORS},
            "no place in the model: layer. Known: embeddings, mapping",
        ),
        ({"embeddings": VECTORS, "embedding.weight": VECTORS}, "no place in the model: embedding.weight"),
        ({"embeddings": VECTORS[:3]}, "does not fit its tokenizer: 4 tokens, 3 vectors"),
        ({"embeddings": VECTORS, "weights": np.ones(2)}, "weights: 2"),
        ({"embeddings": VECTORS, "mapping": np.array([0, 1, 2, 4])}, "mapping points outside the 4 rows"),
        ({"embeddings": VECTORS, "mapping": np.array([0, 1, 2, -1])}, "mapping points outside the 4 rows"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, tensors, part):
    with pytest.raises(DataError, match=part):
        describe_model2vec(write_model(tmp_path, tensors))


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["missing", "truncated"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, damage):
    path = write_model(tmp_path) / name
    content = path.read_bytes()
    path.unlink()
    if damage == "truncated":
        path.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=name.replace(".", r"\.")):
        describe_model2vec(tmp_path)


@pytest.fixture
def save_torch(tmp_path):
    """Writes tensors of torch as the weights of a model."""
    pytest.importorskip("torch")
    from safetensors.torch import save_file as save

    write_model(tmp_path)
    return lambda tensors: save(tensors, str(tmp_path / "model.safetensors"))


def test_bfloat16_is_read_without_loss(tmp_path, save_torch):
    import torch

    table = torch.tensor([[9, 9], [1.5, -3.25], [0.1, 2**-120], [float(2**100), 0]]).to(torch.bfloat16)
    save_torch({"embeddings": table, "weights": torch.ones(4, dtype=torch.bfloat16)})
    vectors = encode(tmp_path, ["lei", "voto", "de"])
    assert np.array_equal(vectors, table[1:].float().numpy())


def test_numbers_of_a_type_that_is_not_read_are_told(tmp_path, save_torch):
    import torch

    save_torch({"embeddings": torch.ones(4, 2).to(torch.float8_e4m3fn)})
    with pytest.raises(
        DataError, match="type F8_E4M3, which cannot be read here. Save the model in one of: F16, F32"
    ):
        describe_model2vec(tmp_path)


@pytest.mark.mirror
def test_a_real_model_gives_the_numbers_of_its_publishers(mirror):
    folder = mirror / REAL / "test-model-vocab-quantized"
    # Golden: MinishLab/model2vec-rs@c75c126, tests/fixtures; float32 of another program, hence not equality
    expected = json.loads((mirror / REAL / "embeddings_vocab_quantized.json").read_text())
    vectors = encode(folder, [" ".join(["hello"] * 1000)])
    assert vectors == pytest.approx(np.array(expected).reshape(1, 64), abs=1e-6)


@pytest.mark.mirror
@pytest.mark.slow
def test_a_real_model_agrees_with_sentence_transformers(mirror):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    folder = mirror / REAL / "test-model-vocab-quantized"
    texts = ["A man is playing a guitar.", "The house voted on the bill", "education"]
    other = sentence_transformers.SentenceTransformer(str(folder), device="cpu").encode(texts)
    # It keeps the table in float32
    assert encode(folder, texts) == pytest.approx(other, abs=1e-5)
