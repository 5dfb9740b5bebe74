"""The pair table: what is written is what is read."""

import numpy as np
import pytest

from sentflow.errors import DataError
from sentflow.texts.pairs import PairInfo, PairTable, read_pairs, write_pairs
from sentflow.texts.table import TaskInfo, TaskTable, write_task


def small_table() -> PairTable:
    info = PairInfo("X", "test", "pt", (0.0, 5.0), ["news", "forum"])
    return PairTable(
        info,
        subset=["news", "news", "forum"],
        text_a=["São Paulo", 'a "quote', "b"],
        text_b=["b", "São Paulo", "c\tc"],
        score=np.array([0.1, 5.0, 4.75]),
    )


def test_written_table_is_read_again(tmp_path):
    table = small_table()
    write_pairs(tmp_path / "X.parquet", table)
    read = read_pairs(tmp_path / "X.parquet")
    assert (read.info, read.subset, read.text_a, read.text_b) == (
        table.info,
        table.subset,
        table.text_a,
        table.text_b,
    )
    assert read.score.dtype == np.float64
    np.testing.assert_array_equal(read.score, table.score)
    assert len(read) == 3


def test_texts_are_distinct_and_in_order_of_first_occurrence():
    assert small_table().texts() == ["São Paulo", "b", 'a "quote', "c\tc"]


def test_same_table_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_pairs(tmp_path / name, small_table())
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_file_that_is_no_pair_table_is_refused(tmp_path):
    (tmp_path / "cut.parquet").write_bytes(b"PAR1")
    info = TaskInfo("T", "single", ["0", "1"], 0, "test")
    write_task(tmp_path / "task.parquet", TaskTable(info, ["a"], [], np.zeros(1, np.int64), [None]))
    for name in ("cut.parquet", "task.parquet", "absent.parquet"):
        with pytest.raises(DataError, match=f"{name} is not a readable pair table"):
            read_pairs(tmp_path / name)
