"""Embedding a dataset and its files: bad input is named, and an interrupted run ends with the same bytes."""

import hashlib
import json

import numpy as np
import pytest

from sentflow.encoders.kind import Encoder
from sentflow.encoders.neural.encoder import plan_batches
from sentflow.encoders.vectors.cache import ShardFolder
from sentflow.encoders.vectors.embed import check_texts, embed_texts
from sentflow.encoders.vectors.storage import Batch, read_embeddings, text_order_sha256, write_embeddings
from sentflow.errors import DataError

TEXTS = ["Ação", "lei", "lei complementar", "votação", "🗳 voto", "a", "Ação"]


class HashEncoder(Encoder):
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

    def plan(self, texts, *, role, task):
        order = np.arange(len(texts))[::-1]
        return [Batch(rows=order[i : i + 2], cost=2) for i in range(0, len(texts), 2)]

    def encode_batches(self, texts, batches, *, role, task):
        for number, batch in enumerate(batches):
            if number == self.dies_at:
                raise KeyboardInterrupt
            self.encoded += batch.rows.tolist()
            yield self.encode([texts[row] for row in batch.rows], role="text", task=None)


def embed(encoder, folder, key="key", **options):
    return embed_texts(encoder, TEXTS, shards=ShardFolder(folder, key=key), **options)


EXPECTED = np.asarray([HashEncoder().vector(text) for text in TEXTS], dtype=np.float32)


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


def test_a_damaged_shard_is_computed_again(tmp_path):
    embed(BatchHashEncoder(), tmp_path / "s", shard_seconds=0)
    shard = sorted((tmp_path / "s" / "key").glob("*.npz"))[1]
    shard.write_bytes(shard.read_bytes()[:50])
    encoder = BatchHashEncoder()
    assert embed(encoder, tmp_path / "s").tobytes() == EXPECTED.tobytes()
    assert encoder.encoded == [4, 3]


def test_empty_texts_are_named_by_row():
    message = r"3 of 5 texts are empty: row 1 \(''\), row 3 \(' \\n'\), row 4 \(''\)"
    with pytest.raises(DataError, match=message):
        check_texts(["", "lei", " \n", None, "ação"])


def test_batches_are_of_the_longest_first_and_equal_lengths_keep_their_order():
    batches = plan_batches(np.asarray([2, 5, 2, 5, 2]), batch_tokens=10)
    # 10 // 5 = 2 rows of five tokens, then 10 // 2 = 5 rows of two
    assert [batch.rows.tolist() for batch in batches] == [[1, 3], [0, 2, 4]]
    assert [batch.rows.tolist() for batch in plan_batches(np.asarray([7, 3, 3]), batch_tokens=6)] == [
        [0],
        [1, 2],
    ]


STORED_TEXTS = ["Ação", "lei", "🗳 voto"]


@pytest.fixture
def files(tmp_path):
    npy, info = tmp_path / "d.npy", tmp_path / "d.json"
    vectors = np.arange(6, dtype=np.float32).reshape(3, 2)
    write_embeddings(npy, info, vectors, {"text_order_sha256": text_order_sha256(STORED_TEXTS)})
    return npy, info


def test_reads_what_was_written(files):
    vectors = read_embeddings(*files, STORED_TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert json.loads(files[1].read_text())["shape"] == [3, 2]


@pytest.mark.parametrize("texts", [STORED_TEXTS[::-1], STORED_TEXTS[:2]])
def test_other_texts_or_another_order_are_refused(files, texts):
    with pytest.raises(DataError, match="are not the . texts of the collection, or in another order"):
        read_embeddings(*files, texts)


def test_hash_depends_on_the_order_and_on_where_texts_end():
    assert text_order_sha256(["a", "b"]) != text_order_sha256(["b", "a"])
    assert text_order_sha256(["ab", ""]) != text_order_sha256(["a", "b"])


def test_values_that_are_not_finite_name_their_rows(files):
    vectors = np.zeros((3, 2), dtype=np.float32)
    vectors[1, 0] = np.nan
    np.save(files[0], vectors)
    with pytest.raises(DataError, match=r"not finite in row 2 \('lei'\)"):
        read_embeddings(*files, STORED_TEXTS)


def test_an_array_that_was_swapped_for_another_of_its_shape_is_refused(files):
    np.save(files[0], np.zeros((3, 2), dtype=np.float32))
    with pytest.raises(DataError, match=r"d\.npy is not the file that .*d\.json describes"):
        read_embeddings(*files, STORED_TEXTS)


@pytest.mark.parametrize(("content", "reason"), [("{", "damaged"), ("{}", "shape")])
def test_a_damaged_description_is_named(files, content, reason):
    files[1].write_text(content)
    with pytest.raises(DataError, match=rf"d\.json is .*{reason}"):
        read_embeddings(*files, STORED_TEXTS)
