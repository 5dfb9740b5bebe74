import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sentflow.files.arrow import numbers_of, table_of


def test_columns_keep_their_values_and_types():
    table = table_of(
        {
            "row": np.arange(3, dtype=np.int32),
            "score": np.float32([0.5, 1.5, 2.5]),
            "value": np.array([1.0, np.nan, 3.0])[::-1],
            "text": ["um", None, "três"],
        },
        {b"about": b"numbers"},
    )
    assert table.schema.types == [pa.int64(), pa.float32(), pa.float64(), pa.string()]
    assert table.schema.metadata == {b"about": b"numbers"}
    columns = table.to_pydict()
    assert columns["row"] == [0, 1, 2]
    assert columns["score"] == [0.5, 1.5, 2.5]
    assert str(columns["value"]) == "[3.0, nan, 1.0]"
    assert columns["text"] == ["um", None, "três"]


def test_no_rows_make_an_empty_table():
    assert len(table_of({"row": np.arange(0), "text": []})) == 0


@pytest.mark.parametrize(("most_bytes", "kind"), [(11, pa.string()), (10, pa.large_string())])
def test_texts_beyond_32_bit_offsets_keep_their_values_in_a_wider_type(
    monkeypatch, tmp_path, most_bytes, kind
):
    """With a limit of our own in place of 2 GiB; "ação" has 6 bytes, "lei" 3, "é" 2."""
    monkeypatch.setattr("sentflow.files.arrow._MOST_BYTES", most_bytes)
    texts = ["ação", None, "lei", "", "é"]
    table = table_of({"text": texts, "row": np.arange(5)})
    assert table.schema.field("text").type == kind
    pq.write_table(table, tmp_path / "x.parquet")
    assert pq.ParquetFile(tmp_path / "x.parquet").read().column("text").to_pylist() == texts


def test_nan_is_null_where_asked():
    columns = {"x": np.array([0.5, np.nan]), "n": np.array([1, 2]), "text": ["a", None]}
    assert table_of(columns, nan_is_null=True).to_pydict() == {
        "x": [0.5, None],
        "n": [1, 2],
        "text": ["a", None],
    }
    assert table_of(columns).column("x").null_count == 0


def test_pandas_is_not_imported():
    code = (
        "import sys, numpy; from sentflow.files.arrow import numbers_of, table_of;"
        "table = table_of({'a': numpy.arange(2), 'b': ['x', None]}); table.to_pydict(); numbers_of(table.column('a'));"
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numbers_of_a_column_are_those_that_went_in():
    chunks = [pa.array([1, 2]), pa.array([], pa.int64()), pa.array([3])]
    assert numbers_of(pa.chunked_array(chunks)).tolist() == [1, 2, 3]
    assert numbers_of(pa.chunked_array(chunks).slice(1)).tolist() == [2, 3]
    values = numbers_of(table_of({"x": np.array([0.5, np.nan])}).column("x"))
    np.testing.assert_array_equal(values, [0.5, np.nan])
