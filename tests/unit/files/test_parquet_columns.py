"""Columns of Parquet files: the values that pyarrow gives, and none of a file that stands for far more than it is."""

from contextlib import suppress
from mmap import ACCESS_READ, mmap

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentflow.errors import DataError
from sentflow.files.limits import RATIO_FROM_BYTES, limited
from sentflow.files.parquet_columns import column_names, column_values
from sentflow.files.parquet_sizes import largest_part, page_bytes
from sentflow.texts.pair_readers import PairReader, read_pair_rows
from sentflow.texts.readers import Reader, read_rows


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
    with pytest.raises(
        DataError, match=r"a\.parquet unpacks from \d+ to more than \d+ bytes, like a decompression bomb"
    ):
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


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0", "write_page_checksum": True},
        {"use_dictionary": False, "data_page_size": 500},
        {"compression": "none", "write_page_index": True, "write_statistics": False},
        {"compression": "snappy", "row_group_size": 70, "sorting_columns": None},
    ],
    ids=str,
)
def test_pages_have_the_size_that_an_honest_file_says(tmp_path, options):
    path = tmp_path / "a.parquet"
    columns = {
        "text": [f"texto {k % 90}" * 9 for k in range(999)],
        "answers": [["x", None, str(k)] for k in range(999)],
    }
    pq.write_table(pa.table({**columns, "number": range(999)}), path, **options)
    metadata = pq.ParquetFile(path).metadata
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as content:
        for group in range(metadata.num_row_groups):
            for place in range(metadata.num_columns):
                column = metadata.row_group(group).column(place)
                of_headers = column.total_uncompressed_size - page_bytes(content, as_stored(column))
                assert 0 < of_headers < 60 * 999


def as_stored(column) -> dict[int, int]:
    """What pyarrow says of a column, by the numbers of the fields in the file."""
    places = {9: column.data_page_offset, 7: column.total_compressed_size}
    return {**places, **({11: column.dictionary_page_offset} if column.has_dictionary_page else {})}


def test_the_end_of_an_honest_file_is_read_as_pyarrow_reads_it(tmp_path):
    columns = {
        "text": [f"texto {k % 90}" * 9 for k in range(999)],
        "a.b": [["x", None, str(k)] for k in range(999)],
        "inner": [{"label": k, "truth": k % 2 == 0, "ratio": k / 3} for k in range(999)],
    }
    table = pa.table(columns).replace_schema_metadata({"about": "x" * 5000})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, row_group_size=70, write_page_index=True)
    metadata = pq.ParquetFile(path).metadata
    sizes: dict[str, list[int]] = {}
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            column = metadata.row_group(group).column(place)
            # a value however small is made into two bytes at least
            size = max(column.total_uncompressed_size, 2 * column.num_values)
            sizes.setdefault(column.path_in_schema, []).append(size)
    assert len(sizes) == 5
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as content:
        found = {name: largest_part(content, name.__eq__) for name in sizes}
    assert found == {name: max(parts) for name, parts in sizes.items()}


def test_end_of_the_file_that_lies_about_its_pages_is_seen_through(tmp_path):
    text = "x" * (5 * RATIO_FROM_BYTES)
    path = write(tmp_path / "a.parquet", {"text": [text]}, use_dictionary=False, write_statistics=False)
    size = pq.ParquetFile(path).metadata.row_group(0).column(0).total_uncompressed_size
    content = path.read_bytes()
    written = varint(2 * size)
    assert content.count(written) == 2 and len(written) == 4  # of the column and of the row group
    path.write_bytes(content.replace(written, bytes([0x80 | 100, 0x80, 0x80, 0])))
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).total_uncompressed_size == 50
    with pytest.raises(DataError, match="like a decompression bomb"):
        column_values(path, ["text"])


def varint(number: int) -> bytes:
    groups = []
    while number:
        groups.append(number & 0x7F)
        number >>= 7
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


# Most damage is done to the end of the file, where pyarrow's own objects end the process for some numbers.
@settings(max_examples=500, deadline=None)
@given(
    kind=st.sampled_from(["zstd", "none"]),
    from_end=st.booleans(),
    places=st.lists(st.tuples(st.integers(0, 900), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_damage_is_told(tmp_path_factory, kind, from_end, places):
    path = tmp_path_factory.mktemp("parquet") / "a.parquet"
    columns = {"text": ["a", "b"] * 20, "label": [1] * 40, "answers": [["x", "y"]] * 40}
    pq.write_table(pa.table(columns), path, compression=kind, row_group_size=15)
    content = bytearray(path.read_bytes())
    for place, byte in places:
        content[-1 - place if from_end else place] = byte
    path.write_bytes(content)
    with suppress(DataError):
        column_values(path, [name for name in column_names(path) if name in columns])
