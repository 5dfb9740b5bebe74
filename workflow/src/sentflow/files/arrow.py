"""Arrow tables from NumPy arrays and lists of strings, and back.

``pyarrow.array`` and ``to_numpy`` import pandas, which takes longer than a small probe to train; buffers do without it.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

# Bytes of text that the 32-bit offsets of a string column can reach.
_MOST_BYTES = 2**31 - 1


Columns = Mapping[str, np.ndarray | Sequence[str | None]]
"""Name → numbers or strings, see `table_of`."""


def table_of(
    columns: Columns,
    metadata: Mapping[bytes, bytes] | None = None,
    *,
    nan_is_null: bool = False,
) -> pa.Table:
    """A table of numbers and strings.

    `columns`: per name a 1-D array of numbers or booleans (integers are stored as int64), or strings (None is null),
    all of one length. Strings are of Arrow's type ``string``; of ``large_string`` where a column holds 2 GiB of text
    or more. `nan_is_null`: whether NaN is stored as null.
    """
    arrays = {
        name: _numbers(values, nan_is_null=nan_is_null)
        if isinstance(values, np.ndarray)
        else _strings(values)
        for name, values in columns.items()
    }
    fields = [pa.field(name, array.type) for name, array in arrays.items()]
    return pa.Table.from_arrays(list(arrays.values()), schema=pa.schema(fields, metadata))


def numbers_of(column: pa.ChunkedArray) -> np.ndarray:
    """(n,) numbers of a column without nulls."""
    return np.from_dlpack(column.combine_chunks())


def _numbers(values: np.ndarray, *, nan_is_null: bool) -> pa.Array:
    if values.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(values)])
    if np.issubdtype(values.dtype, np.integer):
        values = values.astype(np.int64)
    contiguous = np.ascontiguousarray(values)
    present = _bits(~np.isnan(values)) if nan_is_null and np.isnan(values).any() else None
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [present, pa.py_buffer(contiguous)]
    )


def _strings(values: Sequence[str | None]) -> pa.Array:
    encoded = [(value or "").encode() for value in values]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    present = _bits(np.array([value is not None for value in values], bool))
    small = int(offsets[-1]) <= _MOST_BYTES
    kind = pa.StringArray if small else pa.LargeStringArray
    return kind.from_buffers(
        len(encoded),
        pa.py_buffer(offsets.astype(np.int32) if small else offsets),
        pa.py_buffer(b"".join(encoded)),
        present,
    )


def _bits(values: np.ndarray) -> pa.Buffer:
    return pa.py_buffer(np.packbits(values, bitorder="little"))
