"""Weights of terms by a tiny masked-language model, beside a plain loop and the library's own encoder."""

import json
import math
import shutil
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from resumed_embedding import assert_goes_on_and_knows_texts
from scipy.sparse import csr_array
from tiny_bert import TEXTS, WORDS, save_tiny_bert, save_tiny_masked_bert

from sentflow.encoders.entries import encode_settings as encode_keys
from sentflow.encoders.fetch.model import fetch_model
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.load import encode_settings, load_encoder, load_sparse_encoder
from sentflow.encoders.vectors.embedding import embed_texts
from sentflow.encoders.vectors.shards import ShardFolder
from sentflow.encoders.vectors.sparse import SPARSE_FORM, largest_values, read_sparse
from sentflow.encoders.vectors.storage import text_order_sha256
from sentflow.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_masked_bert(tmp_path_factory.mktemp("models") / "masked")


@pytest.fixture(scope="module")
def published(folder, tmp_path_factory):
    """The same model as sentence-transformers saves a SparseEncoder, with the sum over tokens."""
    from sentence_transformers import SparseEncoder

    model = SparseEncoder(str(folder), device="cpu")
    model[1].pooling_strategy = "sum"
    place = tmp_path_factory.mktemp("models") / "published"
    model.save(str(place))
    return place


def fetched(folder, tmp_path, **entry):
    return fetch_model("m", {"kind": "splade", "source": {"folder": str(folder)}, **entry}, tmp_path)


def loaded(folder, tmp_path, settings=None, **around):
    manifest = fetched(folder, tmp_path)
    surroundings = Surroundings(manifest_folder=tmp_path, devices=("cpu",), **around)
    return load_sparse_encoder(manifest, encode_settings(manifest, settings or {}), surroundings)


def weights(folder, tmp_path, settings=None, texts=TEXTS, role="document"):
    found = loaded(folder, tmp_path, settings).encode(texts, role=role, task=None)
    assert isinstance(found, csr_array)
    assert found.dtype == np.float32
    return found.toarray()


def in_a_loop(folder, text, pool):
    """Σ or max over the tokens of log(1 + max(0, m)), one number after the other."""
    import torch
    from transformers import BertForMaskedLM, BertTokenizerFast

    model, tokenizer = (
        BertForMaskedLM.from_pretrained(folder).eval(),
        BertTokenizerFast.from_pretrained(folder),
    )
    with torch.no_grad():
        [scores] = model(**tokenizer([text], return_tensors="pt")).logits.double().tolist()
    return [pool(math.log(1 + max(0.0, token[term])) for token in scores) for term in range(len(WORDS))]


@pytest.mark.parametrize(("pooling", "pool"), [("max", max), ("sum", math.fsum)])
def test_weights_are_those_of_a_plain_loop_whatever_the_padding(folder, tmp_path, pooling, pool):
    found = weights(folder, tmp_path, {"pooling": pooling})
    expected = [in_a_loop(folder, text, pool) for text in TEXTS]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert (found == 0).any()
    assert found.max() > 1


def test_weights_are_those_of_the_librarys_encoder(published, tmp_path):
    from sentence_transformers import SparseEncoder

    library = SparseEncoder(str(published), device="cpu")
    expected = library.encode(TEXTS, convert_to_sparse_tensor=False, max_active_dims=4).numpy()
    settings = {"terms": {"documents": 4}}
    found = weights(published, tmp_path, settings)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert (np.count_nonzero(found, axis=1) == 4).all()
    # the pooling in its files, unless the entry names another
    other = weights(published, tmp_path, {**settings, "pooling": "max"})
    assert (other.sum(axis=1) < found.sum(axis=1)).all()


def test_a_published_model_may_have_the_older_names_of_its_modules(published, tmp_path):
    older = Path(shutil.copytree(published, tmp_path / "older"))
    names = ("MLMTransformer", "SpladePooling")
    modules = json.loads((older / "modules.json").read_text("utf-8"))
    for module, name in zip(modules, names, strict=True):
        module["type"] = f"sentence_transformers.sparse_encoder.models.{name}"
    (older / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    settings = {"max_seq_length": 32, "do_lower_case": False}
    (older / "sentence_bert_config.json").write_text(json.dumps(settings), encoding="utf-8")
    pooling = {
        "pooling_strategy": "sum",
        "activation_function": "relu",
        "word_embedding_dimension": len(WORDS),
    }
    (older / "1_SpladePooling/config.json").write_text(json.dumps(pooling), encoding="utf-8")
    found = weights(older, tmp_path / "m")
    np.testing.assert_allclose(found, weights(published, tmp_path / "n"), rtol=1e-6)


def test_questions_and_documents_keep_their_own_numbers_of_terms(folder, tmp_path):
    settings = {"terms": {"queries": 2, "documents": 5}}
    for role, most in (("query", 2), ("document", 5), ("text", len(WORDS))):
        found = weights(folder, tmp_path, settings, role=role)
        assert np.count_nonzero(found, axis=1).max() <= most
        assert np.count_nonzero(found, axis=1).min() >= min(most, 2)
    entry = {"kind": "splade", "source": {"folder": "x"}, **settings}
    assert encode_keys(entry, roles=("query",)) == {"terms": {"queries": 2}}
    assert encode_keys(entry, roles=("document",)) == {"terms": {"documents": 5}}
    assert encode_keys(entry) == {}


def test_the_largest_values_are_kept_and_of_equal_ones_the_first():
    values = np.array([[0, 2, 1, 2, 2], [0, 0, 0, 0, 0], [5, 0, 0, 0, 0], [1, np.nan, 1, 1, 0]], np.float32)
    found = largest_values(values, 2)
    assert found.has_sorted_indices
    expected = [[0, 2, 0, 2, 0], [0, 0, 0, 0, 0], [5, 0, 0, 0, 0], [1, np.nan, 1, 1, 0]]
    np.testing.assert_array_equal(found.toarray(), np.array(expected, np.float32))
    assert SPARSE_FORM.rows_not_finite(found) == [3]
    np.testing.assert_array_equal(largest_values(values, None).toarray(), values)


def test_a_text_without_tokens_has_no_term_and_is_told(folder, tmp_path, caplog):
    encoder = loaded(folder, tmp_path)
    tokenizer = encoder._model.tokenizer
    tokenizer.backend_tokenizer.post_processor = None  # as of a model that adds no special tokens
    texts = ["lei", "\u200b", "saúde não"]
    found = encoder.encode(texts, role="document", task=None).toarray()
    assert np.count_nonzero(found, axis=1).tolist()[1] == 0
    assert np.count_nonzero(found[[0, 2]], axis=1).min() > 0
    assert "1 of 3 texts have no term of a weight above 0" in caplog.text
    assert encoder.encode(texts[1:2], role="document", task=None).nnz == 0


def test_scores_that_are_no_numbers_are_refused(folder, tmp_path):
    import torch

    encoder = loaded(folder, tmp_path, {"terms": {"documents": 1}}, role="document")
    with torch.no_grad():
        encoder._model[0].auto_model.cls.predictions.bias[3] = float("nan")
    shards = ShardFolder(tmp_path / "shards", key="k", form=SPARSE_FORM)
    with pytest.raises(DataError, match=r"not finite for row 1 \('lei'\), row 2"):
        embed_texts(encoder, TEXTS, shards=shards, form=SPARSE_FORM)


# --- what is refused


def test_a_model_that_predicts_no_words_is_refused(tmp_path, folder):
    with pytest.raises(ConfigError, match=r"models\.m: .*BertModel, which predicts no words.*ForMaskedLM"):
        fetched(save_tiny_bert(tmp_path / "plain"), tmp_path / "m")
    config = json.loads((tmp_path / "plain/config.json").read_text("utf-8"))
    (tmp_path / "plain/config.json").write_text(json.dumps({**config, "architectures": ["BertForMaskedLM"]}))
    with pytest.raises(DataError, match="missing, in whose place would stand random numbers"):
        loaded(tmp_path / "plain", tmp_path / "m")


def test_a_model_of_other_modules_is_refused(folder, tmp_path):
    from sentence_transformers import SentenceTransformer

    SentenceTransformer(str(folder), device="cpu").save(str(tmp_path / "dense"))
    with pytest.raises(ConfigError, match="its modules are Transformer, Pooling.*SpladePooling"):
        fetched(tmp_path / "dense", tmp_path / "m")


def test_an_encoder_of_terms_gives_no_dense_vectors(folder, tmp_path):
    manifest = fetched(folder, tmp_path)
    with pytest.raises(ConfigError, match="weights of terms and no dense vectors.*of kind sparse"):
        load_encoder(manifest, encode_settings(manifest, {}), Surroundings(manifest_folder=tmp_path))


# --- files


VECTORS = largest_values(np.array([[0, 1.5, 0], [0, 0, 0], [0.25, 0, 2]], np.float32), None)


def written(folder, name="a", texts=("x", "y", "z")):
    npz, info = folder / f"{name}.npz", folder / f"{name}.json"
    SPARSE_FORM.write(npz, info, VECTORS, {"text_order_sha256": text_order_sha256(texts)}, {"seconds": 1})
    return npz, info


def test_files_are_the_same_bytes_without_a_date_and_are_read_again(tmp_path):
    npz, info = written(tmp_path)
    assert npz.read_bytes() == written(tmp_path, "b")[0].read_bytes()
    with ZipFile(npz) as members:
        assert {member.date_time for member in members.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    with np.load(npz) as arrays:
        kinds = {name: str(arrays[name].dtype) for name in arrays}
    assert kinds == {"indptr": "int64", "indices": "int32", "data": "float32", "shape": "int64"}
    read = read_sparse(npz, info, ["x", "y", "z"])
    np.testing.assert_array_equal(read.toarray(), VECTORS.toarray())
    assert read.indices.dtype == read.indptr.dtype == np.int32
    described = json.loads(info.read_text("utf-8"))
    assert (described["shape"], described["values"]) == ([3, 3], 3)


def test_damaged_files_and_those_of_other_texts_are_refused(tmp_path):
    npz, info = written(tmp_path)
    with pytest.raises(DataError, match="3 texts that are not the 2 texts"):
        read_sparse(npz, info, ["x", "y"])
    whole = npz.read_bytes()
    for damaged, said in ((whole[:-30], "missing or damaged"), (b"", "missing or damaged")):
        npz.write_bytes(damaged)
        with pytest.raises(DataError, match=said):
            read_sparse(npz, info, ["x", "y", "z"])
    with npz.open("wb") as stream:  # a column that the shape does not have
        np.savez(stream, **{**SPARSE_FORM.arrays(VECTORS), "indices": np.array([1, 0, 7], np.int32)})
    with pytest.raises(DataError, match="missing or damaged"):
        read_sparse(npz, info, ["x", "y", "z"])


def test_a_killed_run_goes_on_with_the_same_bytes_and_known_texts_are_not_read_again(folder, tmp_path):
    encoder = loaded(folder, tmp_path, {"batch_size": 4}, role="document")
    assert_goes_on_and_knows_texts(encoder, SPARSE_FORM, tmp_path)
