import subprocess
import sys

import numpy as np
import pyarrow as pa

from sentflow.arrow import table_of


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


def test_pandas_is_not_imported():
    code = (
        "import sys, numpy; from sentflow.arrow import table_of;"
        "table_of({'a': numpy.arange(2), 'b': ['x', None]}).to_pydict(); assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
