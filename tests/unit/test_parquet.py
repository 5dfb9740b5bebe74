"""Parquet files tell when they were damaged or swapped."""

import shutil

import pyarrow as pa
import pytest

from sentflow.errors import DataError
from sentflow.files.parquet import read_parquet, write_parquet

TABLE = pa.table({"a": list(range(2000)), "b": [f"texto {row * 7919 % 1000}" for row in range(2000)]})


def test_a_table_comes_back_with_the_metadata_it_had(tmp_path):
    for table in (TABLE, TABLE.replace_schema_metadata({b"k": b"v"})):
        write_parquet(tmp_path / "scores/T/m.parquet", table)
        back = read_parquet(tmp_path / "scores/T/m.parquet")
        assert back.equals(table, check_metadata=True)
        assert read_parquet(tmp_path / "scores/T/m.parquet", ["b"]).column_names == ["b"]


def test_a_file_in_the_place_of_another_is_refused(tmp_path):
    one, other, elsewhere = (
        tmp_path / name for name in ("scores/T/m.parquet", "scores/T/n.parquet", "x.parquet")
    )
    write_parquet(one, TABLE)
    shutil.copy2(one, other)
    shutil.copy2(one, elsewhere)
    with pytest.raises(
        DataError, match=r"scores/T/n\.parquet was written as scores/T/m\.parquet: another file"
    ):
        read_parquet(other)
    assert read_parquet(elsewhere).num_rows == 2000  # outside of the tree a name means nothing


def test_a_flipped_bit_in_any_page_is_found(tmp_path):
    file = tmp_path / "x.parquet"
    write_parquet(file, TABLE)
    whole = file.read_bytes()
    for share in (0.1, 0.3, 0.5, 0.7):
        content = bytearray(whole)
        content[int(len(whole) * share)] ^= 1
        file.write_bytes(bytes(content))
        with pytest.raises((OSError, pa.ArrowException)):
            read_parquet(file, ["a"])  # also in a column that was not asked for
