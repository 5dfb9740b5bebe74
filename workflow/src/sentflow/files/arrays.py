"""Arrays of different lengths in one file that is mapped into memory, so that only what is used is read.

An Arrow file with one row, in which each array is a list.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sentflow.files.atomic import atomic
from sentflow.files.io import parse_json, refuse_changed, unsealed

_ABOUT_KEY = b"sentflow-arrays"


def write_arrays(
    path: Path | str, arrays: Mapping[str, np.ndarray | Sequence[str]], about: Mapping[str, Any]
) -> None:
    """Write arrays with what the file says about itself; equal arrays are equal bytes.

    `arrays`: per name a 1-D array of numbers, or texts. `about`: JSON. The file is read only with a digest beside it,
    see `sentflow.files.io.write_digest`.
    """
    columns = {name: _column(values) for name, values in arrays.items()}
    text = json.dumps(about, sort_keys=True, ensure_ascii=False)
    table = pa.Table.from_pydict(columns, metadata={_ABOUT_KEY: text.encode()})
    with atomic(path) as part, pa.ipc.new_file(str(part), table.schema) as writer:
        writer.write_table(table)


def read_arrays(path: Path | str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a file says about itself, and its arrays; numbers are views of the file, texts a `pyarrow.Array`.

    Raises DataError: the file was changed after it was written, or has no digest beside it. Raises OSError, KeyError,
    ValueError, pyarrow.ArrowException: it is missing or damaged, or `write_arrays` did not write it.
    """
    if not refuse_changed(Path(path)):
        raise unsealed(path, None)
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    about: dict[str, Any] = parse_json((table.schema.metadata or {})[_ABOUT_KEY])
    table.validate(full=True)
    lists = {name: table.column(name).chunk(0).values for name in table.column_names}
    return about, {
        name: values if pa.types.is_large_string(values.type) else np.from_dlpack(values)
        for name, values in lists.items()
    }


def _column(values: np.ndarray | Sequence[str]) -> pa.Array:
    if isinstance(values, np.ndarray):
        data = pa.py_buffer(np.ascontiguousarray(values))
        flat = pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, data])
    else:
        encoded = [text.encode() for text in values]
        data = pa.py_buffer(b"".join(encoded))
        flat = pa.LargeStringArray.from_buffers(len(encoded), _offsets([*map(len, encoded)]), data)
    ends = pa.Array.from_buffers(pa.int64(), 2, [None, _offsets([len(values)])])
    return pa.LargeListArray.from_arrays(ends, flat)


def _offsets(lengths: list[int]) -> pa.Buffer:
    return pa.py_buffer(np.cumsum([0, *lengths], dtype=np.int64))
