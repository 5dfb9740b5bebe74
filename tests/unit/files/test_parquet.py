"""Parquet files: values, damage, and files that stand for far more than they are."""

import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sentflow.config.pairs import Reader as PairReader
from sentflow.config.tasks import Reader
from sentflow.errors import DataError
from sentflow.files.limits import RATIO_FROM_BYTES, limited
from sentflow.files.parquet import (
    DescribedParts,
    DescribedWriter,
    numbers_of,
    read_described,
    read_parquet,
    table_of,
    write_parquet,
)
from sentflow.files.parquet_columns import column_batches, column_names
from sentflow.texts.prepare_pairs import read_pair_rows
from sentflow.texts.sources import read_rows

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
    message = r"scores/T/n\.parquet was written as scores/T/m\.parquet: another file"
    with pytest.raises(DataError, match=message):
        read_parquet(other)
    assert read_parquet(elsewhere).num_rows == 2000  # outside of the tree a name means nothing


def test_what_another_program_wrote_has_no_digest_and_is_read_where_any_file_may_stand(tmp_path):
    file, again = tmp_path / "x.parquet", tmp_path / "again.parquet"
    write_parquet(file, TABLE)
    write_parquet(again, pq.read_table(file))  # with the old digest among its metadata
    assert again.read_bytes() == file.read_bytes()
    pq.write_table(TABLE, file)
    assert read_parquet(file, any_file=True).equals(TABLE)
    with pytest.raises(DataError, match=r"x\.parquet has no digest.* Delete it"):
        read_parquet(file)


def test_a_file_that_is_written_in_parts_has_a_digest_of_all_of_them(tmp_path):
    file = tmp_path / "x.parquet"
    writer = DescribedWriter(file, {"k": 1})
    for part in (np.arange(3.0), np.arange(5.0)):
        writer.write({"a": part})
    writer.close()
    assert read_parquet(file).num_rows == 8
    pd.read_parquet(file).to_parquet(file)
    for read in (read_described, DescribedParts):
        with pytest.raises(DataError, match="Delete it"):
            read(file)


def test_a_flipped_bit_in_any_page_is_found(tmp_path):
    file = tmp_path / "x.parquet"
    write_parquet(file, TABLE)
    whole = file.read_bytes()
    for share in (0.1, 0.3, 0.5, 0.7):
        content = bytearray(whole)
        content[int(len(whole) * share)] ^= 1
        file.write_bytes(bytes(content))
        with pytest.raises(DataError, match="Delete it"):
            read_parquet(file, ["a"])  # also in a column that was not asked for


def repeated(text: str, n: int) -> pa.Array:
    """A column of one text, which a file holds once."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array([text]))


def column_values(path, names):
    batches = [*column_batches(path, names)]
    return {name: [value for batch in batches for value in batch[name]] for name in names}


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


def test_file_that_stands_for_far_more_than_it_is_is_refused(tmp_path):
    for column in (
        repeated("x" * 1_000_000, 20),
        pa.array([["x" * 1000] * 100] * 200),
        pa.nulls(5_000_000),
        pa.array(["x" * (RATIO_FROM_BYTES + 1)]),
    ):
        path = write(tmp_path / "a.parquet", {"text": column}, store_schema=False)
        assert path.stat().st_size < 50_000
        with pytest.raises(DataError, match=r"a\.parquet unpacks from .* like a decompression bomb"):
            column_values(path, ["text"])
    # one page of many texts, in a column whose name looks like a part of another
    page = {"use_dictionary": False, "row_group_size": 9999, "data_page_size": 2**31 - 1}
    path = write(tmp_path / "a.parquet", {"text.x": ["x" * 5000] * 3000}, **page)
    with pytest.raises(DataError, match="like a decompression bomb"):
        column_values(path, ["text.x"])


def test_readers_of_rows_and_of_pairs_refuse_it_and_take_it_where_it_is_meant(tmp_path):
    n = 20
    text = repeated("x" * 1_000_000, n)
    path = write(tmp_path / "a.parquet", {"text": text, "other": text, "label": [1] * n}, store_schema=False)
    rows = Reader(format="parquet", file=path.name, text_a="text", label="label")
    pairs = PairReader(format="parquet", files=(path.name,), text_a="text", text_b="other", score="label")
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


@pytest.mark.parametrize(("most_bytes", "kind"), [(11, pa.string()), (10, pa.large_string())])
def test_texts_beyond_32_bit_offsets_keep_their_values_in_a_wider_type(
    monkeypatch, tmp_path, most_bytes, kind
):
    """With a limit of our own in place of 2 GiB; "ação" has 6 bytes, "lei" 3, "é" 2."""
    monkeypatch.setattr("sentflow.files.parquet._MOST_BYTES", most_bytes)
    texts = ["ação", None, "lei", "", "é"]
    table = table_of({"text": texts, "row": np.arange(5)})
    assert table.schema.field("text").type == kind
    pq.write_table(table, tmp_path / "x.parquet")
    assert pq.ParquetFile(tmp_path / "x.parquet").read().column("text").to_pylist() == texts


def test_numbers_of_a_column_are_those_that_went_in():
    chunks = [pa.array([1, 2]), pa.array([], pa.int64()), pa.array([3])]
    assert numbers_of(pa.chunked_array(chunks)).tolist() == [1, 2, 3]
    assert numbers_of(pa.chunked_array(chunks).slice(1)).tolist() == [2, 3]
    values = numbers_of(table_of({"x": np.array([0.5, np.nan])}).column("x"))
    np.testing.assert_array_equal(values, [0.5, np.nan])
