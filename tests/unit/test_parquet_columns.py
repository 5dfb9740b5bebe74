"""Columns of Parquet files: the values that pyarrow gives, and none of a file that stands for far more than it is."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sentflow.data.pair_readers import PairReader, read_pair_rows
from sentflow.data.parquet_columns import column_names, column_values
from sentflow.data.readers import Reader, read_rows
from sentflow.errors import DataError
from sentflow.limits import RATIO_FROM_BYTES, limited


def repeated(text: str, n: int) -> pa.Array:
    """A column of one text, which a file holds once."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array([text]))


def write(path, columns, **options):
    pq.write_table(pa.table(columns), path, compression="zstd", **options)
    return path


def test_values_are_those_of_pyarrow_whatever_their_type(tmp_path):
    n = 1000
    columns = {
        "text": pa.array([f"texto {k % 7} é" if k % 5 else None for k in range(n)]),
        "large": pa.array([f"{k}" for k in range(n)], pa.large_string()),
        "category": pa.array(["a", "b"] * (n // 2)).dictionary_encode(),
        "answers": pa.array([["x", f"{k}"] if k % 3 else None for k in range(n)]),
        "inner": pa.array([{"label": k, "name": "z"} for k in range(n)]),
        "number": pa.array([k / 3 for k in range(n)]),
        "truth": pa.array([k % 2 == 0 for k in range(n)]),
        "nothing": pa.nulls(n),
    }
    path = write(tmp_path / "a.parquet", columns, row_group_size=300)
    expected = pq.ParquetFile(path).read().to_pydict()
    assert column_names(path) == list(columns)
    assert column_values(path, list(columns)) == expected
    assert column_values(path, ["text", "large"]) == {name: expected[name] for name in ("text", "large")}
    assert column_values(path, []) == {}


@pytest.mark.parametrize(
    "column",
    [
        repeated("x" * 1_000_000, 20),
        pa.array(["x" * 1000] * 20_000),
        pa.array([["x" * 1000] * 100] * 200),
        pa.array([0] * 5_000_000, pa.int8()),
        pa.nulls(5_000_000),
        pa.array([""] * 5_000_000),
        pa.array(["x" * (RATIO_FROM_BYTES + 1)]),
    ],
    ids=["dictionary", "texts", "lists", "numbers", "nothing", "empty texts", "one text"],
)
def test_file_that_stands_for_far_more_than_it_is_is_refused(tmp_path, column):
    path = write(tmp_path / "a.parquet", {"text": column}, store_schema=False)
    assert path.stat().st_size < 50_000
    with pytest.raises(DataError, match=r"a\.parquet unpacks from \d+ to more than \d+ bytes, like a bomb"):
        column_values(path, ["text"])


def test_readers_of_rows_and_of_pairs_refuse_it_and_take_it_where_it_is_meant(tmp_path):
    n = 20
    text = repeated("x" * 1_000_000, n)
    path = write(tmp_path / "a.parquet", {"text": text, "other": text, "label": [1] * n}, store_schema=False)
    rows = Reader(format="parquet", file=path.name, text_a="text", label="label")
    pairs = PairReader("parquet", files=(path.name,), text_a="text", text_b="other", score="label")
    with pytest.raises(DataError, match=r"raise limits\.unpacked_ratio"):
        read_rows(path, rows)
    with pytest.raises(DataError, match=r"raise limits\.unpacked_ratio"):
        read_pair_rows({path.name: path}, pairs)
    with limited(unpacked_ratio=10**6):
        assert len(read_rows(path, rows).text_a) == n
    with (
        limited(unpacked_ratio=10**6, unpacked_bytes=10**6),
        pytest.raises(DataError, match="unpacked_bytes"),
    ):
        read_rows(path, rows)


def test_missing_columns_are_named_as_ever(tmp_path):
    path = write(tmp_path / "a.parquet", {"text": ["a"], "label": [1]})
    with pytest.raises(DataError, match=r"no column 'nada'.*Columns: 'text', 'label'"):
        read_rows(path, Reader(format="parquet", file=path.name, text_a="nada", label="nichts"))
