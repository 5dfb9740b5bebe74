import numpy as np
import pytest

from sentflow.errors import DataError
from sentflow.texts.collection import distinct_texts, read_texts, rows_of, write_texts
from sentflow.texts.table import TaskInfo, TaskTable


def make_table(layout: str, text_a: list[str], text_b: list[str]) -> TaskTable:
    n_alternatives = 2 if layout == "alternatives" else 0
    info = TaskInfo("X", layout, ["0", "1"], n_alternatives, "test")
    return TaskTable(info, text_a, text_b, np.zeros(len(text_a), dtype=np.int64), [None] * len(text_a))


def test_texts_are_distinct_in_order_of_first_occurrence_over_tables():
    single = make_table("single", ["água", "lei", "água"], [])
    pair = make_table("pair", ["lei", "pão"], ["água", "ato"])
    assert distinct_texts([single, pair]) == ["água", "lei", "pão", "ato"]


def test_texts_that_differ_in_white_space_or_composition_stay_apart():
    table = make_table("single", ["a\u0301", "á", " á", "á"], [])
    assert distinct_texts([table]) == ["a\u0301", "á", " á"]


def test_alternatives_count_one_by_one():
    table = make_table("alternatives", ["q1", "q2"], ["sim [SEP] não", "não [SEP] talvez"])
    assert distinct_texts([table]) == ["q1", "sim", "não", "q2", "talvez"]


def test_texts_survive_their_file(tmp_path):
    texts = ["ação\r\ncom quebra", "NA", "a\u0301", " x "]
    write_texts(tmp_path / "t.parquet", texts)
    assert read_texts(tmp_path / "t.parquet") == texts


def test_same_texts_give_the_same_bytes(tmp_path):
    write_texts(tmp_path / "a", ["x", "ç"])
    write_texts(tmp_path / "b", ["x", "ç"])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_file_that_is_no_list_of_texts_says_what_to_do(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1 cut")
    with pytest.raises(DataError, match="Delete it and run snakemake again"):
        read_texts(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="not a readable list of texts"):
        read_texts(tmp_path / "absent.parquet")


def test_rows_of_distinct_texts_are_their_positions():
    assert rows_of(["b", "a"]) == {"b": 0, "a": 1}


def test_rows_of_a_repeated_text_are_refused():
    with pytest.raises(ValueError, match="3 texts, but only 2 distinct"):
        rows_of(["a", "b", "a"])
