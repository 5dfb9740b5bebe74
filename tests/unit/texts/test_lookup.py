"""The vectors of a collection: rows by text, and files that do not belong together."""

from pathlib import Path

import numpy as np
import pytest

from sentflow.encoders.vectors.storage import text_order_sha256, write_embeddings
from sentflow.errors import DataError
from sentflow.files.io import write_digest
from sentflow.geometry.permuted_texts import PermutedTexts, read_permuted, write_permuted
from sentflow.texts.collection import rows_of, write_texts
from sentflow.texts.lookup import TextVectors, read_vectors
from sentflow.texts.pairs import PairInfo, PairTable, read_pairs, write_pairs

TEXTS = ["água", "lei", "pão"]


def pair_table(text_a: list[str], text_b: list[str]) -> PairTable:
    info = PairInfo("X", "test", "pt", (0.0, 5.0), [""])
    return PairTable(info, [""] * len(text_a), text_a, text_b, np.zeros(len(text_a)))


def written(folder: Path, texts: list[str] = TEXTS) -> TextVectors:
    write_texts(folder / "t.parquet", texts)
    return read_vectors(folder / "t.parquet", folder / "e.npy", folder / "e.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    about = {"text_order_sha256": text_order_sha256(TEXTS)}
    write_embeddings(tmp_path / "e.npy", tmp_path / "e.json", np.eye(3, dtype=np.float32), about)
    return tmp_path


def test_rows_are_those_of_the_texts_however_often_they_are_asked_for(folder):
    found = written(folder)
    assert found.texts == TEXTS
    assert found.rows.of(["pão", "água", "pão"], whose="X").tolist() == [2, 0, 2]
    first, second = found.rows_of_pairs(pair_table(["lei"], ["água"]))
    assert (first.tolist(), second.tolist()) == ([1], [0])
    assert first.dtype == np.int64


def test_a_text_that_was_not_embedded_is_named_with_the_file_that_lacks_it(folder):
    with pytest.raises(DataError) as caught:
        written(folder).rows_of_pairs(pair_table(["lei", "ato"], ["água", "água"]))
    for part in (
        "'ato' of the pair set X has no vector (1 of 2 have none)",
        "t.parquet lacks it: delete that",
    ):
        assert part in str(caught.value)
    with pytest.raises(DataError, match="embedded together.$"):
        rows_of(TEXTS).of(["x"], whose="X")


def test_vectors_of_other_texts_are_refused(folder):
    with pytest.raises(DataError, match="not the 3 texts"):
        written(folder, ["lei", "água", "pão"])


def test_rows_may_be_counted_from_another_number():
    assert rows_of(["a", "b"], first=5) == {"a": 5, "b": 6}


def test_pairs_and_permuted_texts_that_changed_after_their_digest_are_refused(tmp_path):
    write_pairs(tmp_path / "p.parquet", pair_table(["a"], ["b"]))
    write_digest(tmp_path / "p.parquet")
    write_pairs(tmp_path / "p.parquet", pair_table(["a"], ["c"]))
    with pytest.raises(DataError, match="is not the file that .*p.json describes"):
        read_pairs(tmp_path / "p.parquet")
    write_permuted(tmp_path / "t.parquet", PermutedTexts(["b a c"], ["a b c"], "words"))
    write_digest(tmp_path / "t.parquet")
    write_permuted(tmp_path / "t.parquet", PermutedTexts(["c b a"], ["a b c"], "words"))
    with pytest.raises(DataError, match="is not the file that .*t.json describes"):
        read_permuted(tmp_path / "t.parquet")
