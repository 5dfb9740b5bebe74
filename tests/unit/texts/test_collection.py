"""Distinct texts of tables, their files, and the rows of their vectors."""

import numpy as np
import pytest

from sentflow.encoders.vectors.storage import text_order_sha256, write_embeddings
from sentflow.errors import DataError
from sentflow.texts.collection import distinct_texts, write_texts
from sentflow.texts.lookup import read_vectors
from sentflow.texts.pairs import PairInfo, PairTable, read_pairs, write_pairs
from sentflow.texts.segmentation import segmented
from sentflow.texts.table import TaskInfo, TaskTable


def make_table(layout: str, text_a: list[str], text_b: list[str]) -> TaskTable:
    n_alternatives = 2 if layout == "alternatives" else 0
    info = TaskInfo("X", layout, ["0", "1"], n_alternatives, "test")
    return TaskTable(info, text_a, text_b, np.zeros(len(text_a), dtype=np.int64), [None] * len(text_a))


def test_texts_are_distinct_in_order_of_first_occurrence_and_stay_as_they_are():
    single = make_table("single", ["água", "lei", "água"], [])
    pair = make_table("pair", ["lei", "pão"], ["água", "ato"])
    assert distinct_texts([single, pair]) == ["água", "lei", "pão", "ato"]
    composed = make_table("single", ["a\u0301", "á", " á", "á"], [])
    assert distinct_texts([composed]) == ["a\u0301", "á", " á"]
    alternatives = make_table("alternatives", ["q1", "q2"], ["sim [SEP] não", "não [SEP] talvez"])
    assert distinct_texts([alternatives]) == ["q1", "sim", "não", "q2", "talvez"]


def test_a_table_of_pairs_is_read_as_it_was_written(tmp_path):
    info = PairInfo("X", "test", "pt", (0.0, 5.0), ["news", "forum"])
    sides = (["São Paulo", 'a "quote', "b"], ["b", "São Paulo", "c\tc"])
    table = PairTable(info, ["news", "news", "forum"], *sides, score=np.array([0.1, 5.0, 4.75]))
    assert distinct_texts([table]) == ["São Paulo", "b", 'a "quote', "c\tc"]
    write_pairs(tmp_path / "X.parquet", table)
    read = read_pairs(tmp_path / "X.parquet")
    assert (read.info, read.subset, read.text_a, read.text_b) == (info, table.subset, *sides)
    assert (read.score.dtype, read.score.tolist()) == (np.float64, [0.1, 5.0, 4.75])


def test_rows_of_vectors_are_those_of_their_texts_and_what_has_none_is_named(tmp_path):
    texts = ["água", "lei", "pão"]
    paths = [tmp_path / name for name in ("t.parquet", "e.npy", "e.json")]
    write_embeddings(*paths[1:], np.eye(3, dtype=np.float32), {"text_order_sha256": text_order_sha256(texts)})
    write_texts(paths[0], texts)
    found = read_vectors(*paths)
    assert found.rows.of(["pão", "água", "pão"], whose="X").tolist() == [2, 0, 2]
    info = PairInfo("X", "test", "pt", (0.0, 5.0), [""])
    first, second = found.rows_of_pairs(PairTable(info, [""], ["lei"], ["água"], np.zeros(1)))
    assert (first.tolist(), second.tolist()) == ([1], [0])
    with pytest.raises(DataError, match="'ato' of the pair set X has no vector .*t.parquet lacks it"):
        found.rows_of_pairs(PairTable(info, [""] * 2, ["lei", "ato"], ["água"] * 2, np.zeros(2)))
    write_texts(paths[0], texts[::-1])
    with pytest.raises(DataError, match="not the 3 texts"):
        read_vectors(*paths)


HOW = "vietnamese-words"
TEXTS = ["Công an nhân dân xử phạt", "Người lao động có quyền", "xử phạt hành chính", "nhân dân có quyền"]
MARKED = ["Công_an nhân_dân xử_phạt", "Người lao_động có quyền", "xử_phạt hành_chính", "nhân_dân có quyền"]


def test_syllables_of_a_word_are_joined_and_lines_stay_lines():
    pytest.importorskip("underthesea", reason="Vietnamese words need envs/requirements-vietnamese.txt")
    assert segmented(["Công an nhân dân\n\nxử phạt hành chính", ""], HOW) == [
        "Công_an nhân_dân\n\nxử_phạt hành_chính",
        "",
    ]
    assert segmented(TEXTS, HOW) == MARKED
