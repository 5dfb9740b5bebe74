"""Embedding a dataset: bad input is named, and an interrupted run ends with the same bytes."""

import hashlib

import numpy as np
import pytest

from sentflow.encoders.protocol import Batch
from sentflow.encoders.vectors.embedding import check_texts, embed_texts
from sentflow.encoders.vectors.shards import ShardFolder
from sentflow.errors import DataError

TEXTS = ["Ação", "lei", "lei complementar", "votação", "🗳 voto", "a", "Ação"]


class HashEncoder:
    """The vector is a hash of the text, so that a swapped row is seen."""

    dimension = 4

    def encode(self, texts, *, role, task):
        return np.asarray([self.vector(text) for text in texts], dtype=np.float32)

    def vector(self, text):
        return list(hashlib.sha256(text.encode()).digest()[: self.dimension])


class BatchHashEncoder(HashEncoder):
    """Batches of two; the process is killed before batch number `dies_at`."""

    def __init__(self, dies_at=None):
        self.dies_at = dies_at
        self.encoded = []

    def plan(self, texts):
        order = np.arange(len(texts))[::-1]
        return [Batch(rows=order[i : i + 2], cost=2) for i in range(0, len(texts), 2)]

    def encode_batches(self, texts, batches):
        for number, batch in enumerate(batches):
            if number == self.dies_at:
                raise KeyboardInterrupt
            self.encoded += batch.rows.tolist()
            yield self.encode([texts[row] for row in batch.rows], role="text", task=None)


def embed(encoder, folder, key="key", **options):
    return embed_texts(encoder, TEXTS, shards=ShardFolder(folder, key=key), **options)


EXPECTED = np.asarray([HashEncoder().vector(text) for text in TEXTS], dtype=np.float32)


@pytest.mark.parametrize("encoder", [HashEncoder(), BatchHashEncoder()])
def test_rows_are_in_the_order_of_the_texts(encoder, tmp_path):
    vectors = embed(encoder, tmp_path / "s", dimension=4)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, EXPECTED)


def test_a_killed_run_goes_on_from_its_shards_with_the_same_bytes(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        embed(BatchHashEncoder(dies_at=2), tmp_path / "s", shard_seconds=0)
    resumed = BatchHashEncoder()
    vectors = embed(resumed, tmp_path / "s", shard_seconds=0)
    assert vectors.tobytes() == EXPECTED.tobytes()
    assert resumed.encoded == [2, 1, 0]  # rows 6 to 3 were done
    with_all_shards = BatchHashEncoder(dies_at=0)
    assert embed(with_all_shards, tmp_path / "s").tobytes() == EXPECTED.tobytes()
    assert with_all_shards.encoded == []


def test_shards_of_another_model_are_not_used(tmp_path):
    embed(BatchHashEncoder(), tmp_path / "s", key="old", shard_seconds=0)
    encoder = BatchHashEncoder()
    embed(encoder, tmp_path / "s", key="new")
    assert len(encoder.encoded) == len(TEXTS)
    assert not (tmp_path / "s").exists()  # the old ones are deleted, and a short run leaves none


def test_a_damaged_shard_is_computed_again(tmp_path):
    embed(BatchHashEncoder(), tmp_path / "s", shard_seconds=0)
    shard = sorted((tmp_path / "s" / "key").glob("*.npz"))[1]
    shard.write_bytes(shard.read_bytes()[:50])
    encoder = BatchHashEncoder()
    assert embed(encoder, tmp_path / "s").tobytes() == EXPECTED.tobytes()
    assert encoder.encoded == [4, 3]


def test_clear_removes_the_folder(tmp_path):
    embed(BatchHashEncoder(), tmp_path / "s", shard_seconds=0)
    ShardFolder(tmp_path / "s", key="key").clear()
    assert list(tmp_path.iterdir()) == []


def test_values_that_are_not_finite_name_rows_and_texts(tmp_path):
    class Broken(HashEncoder):
        def vector(self, text):
            return [np.inf if text == "lei" else 1.0, 0, 0, np.nan if text == "votação" else 0]

    with pytest.raises(DataError, match=r"not finite for row 2 \('lei'\), row 4 \('votação'\)"):
        embed(Broken(), tmp_path / "s")


def test_another_width_than_the_manifest_says_is_an_error(tmp_path):
    with pytest.raises(DataError, match="vectors of 4 values, but its manifest says 384"):
        embed(HashEncoder(), tmp_path / "s", dimension=384)


def test_vectors_of_another_shape_are_an_error(tmp_path):
    class Broken(HashEncoder):
        def vector(self, text):
            return [1.0]

    with pytest.raises(DataError, match=r"returned float32 \(7, 1\) for 7 texts, expected float32 \(7, 4\)"):
        embed(Broken(), tmp_path / "s")


def test_empty_texts_are_named_by_row():
    with pytest.raises(
        DataError, match=r"3 of 5 texts are empty: row 1 \(''\), row 3 \(' \\n'\), row 4 \(''\)"
    ):
        check_texts(["", "lei", " \n", None, "ação"])


def test_no_texts_at_all_are_an_error():
    with pytest.raises(DataError, match="there are no texts"):
        check_texts([])
