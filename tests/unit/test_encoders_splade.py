"""Weights of terms by a tiny masked-language model, beside a plain loop and the library's own encoder."""

import json
import math
from zipfile import ZipFile

import numpy as np
import pytest
from resumed_embedding import assert_goes_on_and_knows_texts, loaded
from scipy.sparse import csr_array
from tiny_bert import TEXTS, WORDS, save_tiny_bert, save_tiny_masked_bert

from sentflow.encoders.vectors.sparse import SPARSE_FORM, largest_values
from sentflow.encoders.vectors.storage import text_order_sha256
from sentflow.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_masked_bert(tmp_path_factory.mktemp("models") / "masked")


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
    encoder = loaded("splade", folder, tmp_path, {"pooling": pooling})
    found = encoder.encode(TEXTS, role="document", task=None)
    assert isinstance(found, csr_array) and found.dtype == np.float32
    found = found.toarray()
    expected = [in_a_loop(folder, text, pool) for text in TEXTS]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert (found == 0).any()
    assert found.max() > 1


def test_the_largest_values_are_kept_and_of_equal_ones_the_first():
    values = np.array([[0, 2, 1, 2, 2], [0, 0, 0, 0, 0], [5, 0, 0, 0, 0], [1, np.nan, 1, 1, 0]], np.float32)
    found = largest_values(values, 2)
    assert found.has_sorted_indices
    expected = [[0, 2, 0, 2, 0], [0, 0, 0, 0, 0], [5, 0, 0, 0, 0], [1, np.nan, 1, 1, 0]]
    np.testing.assert_array_equal(found.toarray(), np.array(expected, np.float32))
    assert SPARSE_FORM.rows_not_finite(found) == [3]
    np.testing.assert_array_equal(largest_values(values, None).toarray(), values)


def test_a_model_that_predicts_no_words_is_refused(tmp_path, folder):
    with pytest.raises(ConfigError, match=r"models\.m: .*BertModel, which predicts no words.*ForMaskedLM"):
        loaded("splade", save_tiny_bert(tmp_path / "plain"), tmp_path / "m")
    config = json.loads((tmp_path / "plain/config.json").read_text("utf-8"))
    (tmp_path / "plain/config.json").write_text(json.dumps({**config, "architectures": ["BertForMaskedLM"]}))
    with pytest.raises(DataError, match="missing, so it would be random"):
        loaded("splade", tmp_path / "plain", tmp_path / "m")


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
    read = SPARSE_FORM.read(npz, info, ["x", "y", "z"])
    np.testing.assert_array_equal(read.toarray(), VECTORS.toarray())
    assert read.indices.dtype == read.indptr.dtype == np.int32
    described = json.loads(info.read_text("utf-8"))
    assert (described["shape"], described["values"]) == ([3, 3], 3)


def test_damaged_files_and_those_of_other_texts_are_refused(tmp_path):
    npz, info = written(tmp_path)
    with pytest.raises(DataError, match="3 texts that are not the 2 texts"):
        SPARSE_FORM.read(npz, info, ["x", "y"])
    whole = npz.read_bytes()
    for damaged, said in ((whole[:-30], "missing or damaged"), (b"", "missing or damaged")):
        npz.write_bytes(damaged)
        with pytest.raises(DataError, match=said):
            SPARSE_FORM.read(npz, info, ["x", "y", "z"])
    with npz.open("wb") as stream:  # a column that the shape does not have
        np.savez(stream, **{**SPARSE_FORM.arrays(VECTORS), "indices": np.array([1, 0, 7], np.int32)})
    with pytest.raises(DataError, match="missing or damaged"):
        SPARSE_FORM.read(npz, info, ["x", "y", "z"])


def test_a_killed_run_goes_on_with_the_same_bytes_and_known_texts_are_not_read_again(folder, tmp_path):
    encoder = loaded("splade", folder, tmp_path, {"batch_size": 4})
    assert_goes_on_and_knows_texts(encoder, SPARSE_FORM, tmp_path)
