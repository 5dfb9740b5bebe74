from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sentflow.commands import collect
from sentflow.errors import ConfigError, DataError
from sentflow.files.parquet import write_parquet
from sentflow.texts.collection import read_collection, read_texts
from sentflow.texts.pairs import PairInfo, PairTable, write_pairs
from sentflow.texts.table import TaskInfo, TaskTable, write_task


def write_single(path: Path, texts: list[str]) -> str:
    n = len(texts)
    info = TaskInfo(path.stem, "single", ["0", "1"], 0, "test")
    write_task(path, TaskTable(info, texts, [], np.zeros(n, dtype=np.int64), [None] * n))
    return str(path)


def test_texts_of_two_tasks_are_written_once_in_the_order_given(tmp_path):
    first = write_single(tmp_path / "A.parquet", ["água", "lei", "água"])
    second = write_single(tmp_path / "B.parquet", ["ato", "lei"])
    assert collect.main(["--tables", first, second, "--output", str(tmp_path / "x/t.parquet")]) == 0
    assert read_texts(tmp_path / "x/t.parquet") == ["água", "lei", "ato"]


def test_table_that_is_none_ends_without_output(tmp_path):
    (tmp_path / "A.parquet").write_bytes(b"cut")
    with pytest.raises(DataError, match="A.parquet is not a readable table of texts"):
        collect.main(["--tables", str(tmp_path / "A.parquet"), "--output", str(tmp_path / "t.parquet")])
    assert not (tmp_path / "t.parquet").exists()


def write_pair_set(path: Path, text_a: list[str], text_b: list[str]) -> str:
    info = PairInfo(path.stem, "test", "pt", (0.0, 5.0), [""])
    n = len(text_a)
    write_pairs(path, PairTable(info, [""] * n, text_a, text_b, np.zeros(n)))
    return str(path)


def test_a_task_and_a_pair_set_may_be_collected_together(tmp_path):
    task = write_single(tmp_path / "A.parquet", ["água", "lei"])
    pairs = write_pair_set(tmp_path / "B.parquet", ["lei", "pão"], ["ato", "água"])
    assert collect.main(["--tables", task, pairs, "--output", str(tmp_path / "t.parquet")]) == 0
    assert read_texts(tmp_path / "t.parquet") == ["água", "lei", "ato", "pão"]
    assert read_collection(tmp_path / "t.parquet").roles == {"text": 4}


def test_roles_are_kept_with_the_texts(tmp_path):
    pairs, output = (
        write_pair_set(tmp_path / "B.parquet", ["q", "r", "q"], ["d", "q", "e"]),
        tmp_path / "t.parquet",
    )
    assert collect.main(["--tables", pairs, "--roles", "query", "--output", str(output)]) == 0
    assert read_collection(output).roles == {"query": 4}
    assert collect.main(["--tables", pairs, "--roles", "query document", "--output", str(output)]) == 0
    found = read_collection(output)
    assert (found.texts, found.roles) == (["q", "r", "d", "q", "e"], {"query": 2, "document": 3})
    with pytest.raises(
        ConfigError, match="the roles are document query. Write one of: text, query, document"
    ):
        collect.main(["--tables", pairs, "--roles", "document query", "--output", str(output)])


def test_a_table_of_something_else_is_refused(tmp_path):
    write_parquet(tmp_path / "A.parquet", pa.table({"text": ["a"]}))
    with pytest.raises(DataError, match="A.parquet is not a readable table of texts"):
        collect.main(["--tables", str(tmp_path / "A.parquet"), "--output", str(tmp_path / "t.parquet")])
