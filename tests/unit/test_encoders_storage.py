"""Files of embeddings: what is read is what was written, for exactly these texts."""

import json

import numpy as np
import pytest

from sentflow.encoders.vectors.storage import read_embeddings, text_order_sha256, write_embeddings
from sentflow.errors import DataError

TEXTS = ["Ação", "lei", "🗳 voto"]


@pytest.fixture
def files(tmp_path):
    npy, info = tmp_path / "d.npy", tmp_path / "d.json"
    vectors = np.arange(6, dtype=np.float32).reshape(3, 2)
    write_embeddings(npy, info, vectors, {"text_order_sha256": text_order_sha256(TEXTS)})
    return npy, info


def test_reads_what_was_written(files):
    vectors = read_embeddings(*files, TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert json.loads(files[1].read_text())["shape"] == [3, 2]


@pytest.mark.parametrize("texts", [TEXTS[::-1], TEXTS[:2]])
def test_other_texts_or_another_order_are_refused(files, texts):
    with pytest.raises(DataError, match="are not the . texts of the dataset, or in another order"):
        read_embeddings(*files, texts)


def test_hash_depends_on_the_order_and_on_where_texts_end():
    assert text_order_sha256(["a", "b"]) != text_order_sha256(["b", "a"])
    assert text_order_sha256(["ab", ""]) != text_order_sha256(["a", "b"])


def test_values_that_are_not_finite_name_their_rows(files):
    vectors = np.zeros((3, 2), dtype=np.float32)
    vectors[1, 0] = np.nan
    np.save(files[0], vectors)
    with pytest.raises(DataError, match=r"not finite in row 2 \('lei'\)"):
        read_embeddings(*files, TEXTS)


def test_an_array_that_was_swapped_for_another_of_its_shape_is_refused(files):
    np.save(files[0], np.zeros((3, 2), dtype=np.float32))
    with pytest.raises(DataError, match=r"d\.npy is not the file that .*d\.json describes"):
        read_embeddings(*files, TEXTS)


@pytest.mark.parametrize(("content", "reason"), [("{", "damaged"), ("{}", "it has no shape")])
def test_a_damaged_description_is_named(files, content, reason):
    files[1].write_text(content)
    with pytest.raises(DataError, match=rf"d\.json is .*{reason}"):
        read_embeddings(*files, TEXTS)
