from pathlib import Path

import numpy as np
import pytest

from sentflow.commands import collect_texts
from sentflow.errors import DataError
from sentflow.texts.collection import read_texts
from sentflow.texts.table import TaskInfo, TaskTable, write_task


def write_single(path: Path, texts: list[str]) -> str:
    n = len(texts)
    info = TaskInfo(path.stem, "single", ["0", "1"], 0, "test")
    write_task(path, TaskTable(info, texts, [], np.zeros(n, dtype=np.int64), [None] * n))
    return str(path)


def test_texts_of_two_tasks_are_written_once_in_the_order_given(tmp_path):
    first = write_single(tmp_path / "A.parquet", ["água", "lei", "água"])
    second = write_single(tmp_path / "B.parquet", ["ato", "lei"])
    assert collect_texts.main(["--tasks", first, second, "--output", str(tmp_path / "x/t.parquet")]) == 0
    assert read_texts(tmp_path / "x/t.parquet") == ["água", "lei", "ato"]


def test_table_that_is_none_ends_without_output(tmp_path):
    (tmp_path / "A.parquet").write_bytes(b"cut")
    with pytest.raises(DataError, match="A.parquet is not a readable task table"):
        collect_texts.main(["--tasks", str(tmp_path / "A.parquet"), "--output", str(tmp_path / "t.parquet")])
    assert not (tmp_path / "t.parquet").exists()
