"""Static embeddings: on a folder made here, where every number can be worked out, and on a real model of the mirror."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers

from sentflow.encoders.fetch import fetch_model
from sentflow.encoders.kinds.model2vec import Model2vecEncoder
from sentflow.encoders.settings import Model2vecSettings
from sentflow.errors import DataError

REAL = "github/MinishLab/model2vec-rs/c75c126fe7aeeea34714f1cc36cef74b3c489f19/tests/fixtures"
VOCABULARY = {"[UNK]": 0, "lei": 1, "voto": 2, "de": 3}
VECTORS = np.array([[9, 9], [3, 0], [0, 4], [1, 1]], dtype=np.float32)


def write_model(folder, tensors=None, config=None):
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    # What another program left in the file: it must not shorten or lengthen a text
    tokenizer.enable_truncation(1)
    tokenizer.enable_padding(length=7)
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file(tensors or {"embeddings": VECTORS}, str(folder / "model.safetensors"))
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def encode(folder, texts, **settings):
    encoder = Model2vecEncoder(folder, Model2vecSettings(**settings))
    return encoder.encode(texts, role="text", task=None)


def test_a_text_is_the_mean_of_its_tokens_and_unknown_ones_are_left_out(tmp_path):
    vectors = encode(write_model(tmp_path), ["lei voto", "lei lei voto xyz", "xyz", "de"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[1.5, 2], [2, pytest.approx(4 / 3)], [0, 0], [1, 1]]


def test_rows_may_be_shared_and_weighted(tmp_path):
    tensors = {
        "embeddings": np.array([[1, 2], [10, 20]], dtype=np.float16),
        "mapping": np.array([0, 1, 1, 0], dtype=np.int32),
        "weights": np.array([1, 0.5, 2, 1], dtype=np.float64),
    }
    # (0.5 · [10, 20] + 2 · [10, 20]) / 2: the number of tokens divides, not the sum of their weights
    assert encode(write_model(tmp_path, tensors), ["lei voto"]).tolist() == [[12.5, 25]]


def test_vectors_have_length_one_if_the_files_or_the_entry_say_so(tmp_path):
    expected = pytest.approx(np.array([[0.6, 0.8], [0, 0]]))
    for config, settings in (({"normalize": True}, {}), ({"normalize": False}, {"normalise": True})):
        write_model(tmp_path, config=config)
        assert encode(tmp_path, ["lei voto", "xyz"], **settings) == expected


@pytest.mark.parametrize(
    ("tensors", "part"),
    [
        ({"other": VECTORS}, "its tensors are other, expected one of embeddings"),
        ({"embeddings": VECTORS[:3]}, "does not fit its tokenizer: 4 tokens, 3 vectors"),
        ({"embeddings": VECTORS, "weights": np.ones(2)}, "weights: 2"),
        ({"embeddings": VECTORS, "mapping": np.array([0, 1, 2, -1])}, "mapping points outside the 4 rows"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, tensors, part):
    source = {"folder": str(write_model(tmp_path, tensors))}
    with pytest.raises(DataError, match=part):
        fetch_model("m", {"kind": "model2vec", "source": source}, tmp_path)


def test_bfloat16_is_read_without_loss(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save

    write_model(tmp_path)
    table = torch.tensor([[9, 9], [1.5, -3.25], [0.1, 2**-120], [float(2**100), 0]]).to(torch.bfloat16)
    save(
        {"embeddings": table, "weights": torch.ones(4, dtype=torch.bfloat16)}, tmp_path / "model.safetensors"
    )
    vectors = encode(tmp_path, ["lei", "voto", "de"])
    assert np.array_equal(vectors, table[1:].float().numpy())


@pytest.mark.mirror
def test_a_real_model_gives_the_numbers_of_its_publishers(mirror):
    folder = mirror / REAL / "test-model-vocab-quantized"
    # Golden: MinishLab/model2vec-rs@c75c126, tests/fixtures; float32 of another program, hence not equality
    expected = json.loads((mirror / REAL / "embeddings_vocab_quantized.json").read_text())
    vectors = encode(folder, [" ".join(["hello"] * 1000)])
    assert vectors == pytest.approx(np.array(expected).reshape(1, 64), abs=1e-6)
