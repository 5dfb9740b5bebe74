from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from small_tasks import make_task

from sentflow.files.arrow import table_of
from sentflow.files.parquet import write_parquet
from sentflow.probing.jobs import hardest
from sentflow.texts.table import TaskTable, write_task


def write_predictions(file: Path, table: TaskTable, *, repetition: int, wrong: set[int], rows=None) -> Path:
    """Predictions of rows that are right but for those in `wrong`."""
    rows = np.arange(len(table)) if rows is None else np.asarray(rows)
    truth = table.labels[rows]
    predicted = np.where(np.isin(rows, list(wrong)), 1 - truth, truth)
    columns = {
        "row": rows,
        "repetition": np.full(len(rows), repetition),
        "fold": np.ones(len(rows), int),
        "truth": truth,
        "predicted": predicted,
        "score": predicted.astype(float),
    }
    write_parquet(file, table_of(columns))
    return file


def test_the_hardest_come_first_and_what_is_never_wrong_is_left_out(tmp_path):
    table, output = make_task(12), tmp_path / "hardest.parquet"
    write_task(tmp_path / "rows.parquet", table)
    files = [
        write_predictions(tmp_path / "a1.parquet", table, repetition=1, wrong={3, 5}),
        # row 7 is left out of this repetition
        write_predictions(
            tmp_path / "a2.parquet", table, repetition=2, wrong={3}, rows=[*range(7), *range(8, 12)]
        ),
        write_predictions(tmp_path / "b1.parquet", table, repetition=1, wrong={3, 7}),
        write_predictions(tmp_path / "b2.parquet", table, repetition=2, wrong={3, 7}),
    ]
    settings = {"models": ["one", "two"], "limit": 100, "offensive": False}
    hardest(rows=tmp_path / "rows.parquet", predictions=files, settings=settings, output=output)
    rows = pq.ParquetFile(output).read().to_pylist()
    # row 3: 4 of 4; row 7: 2 of 3, always by the second model; row 5: 1 of 4, in half of the first one's
    assert [(row["row"], row["share_wrong"], row["n_predictions"], row["models_wrong"]) for row in rows] == [
        (3, 1.0, 4, 2),
        (7, pytest.approx(2 / 3), 3, 1),
        (5, 0.25, 4, 0),
    ]
    first = rows[0]
    assert (first["task"], first["text_a"], first["text_b"]) == ("X-sample", table.text_a[3], "")
    assert (first["label"], first["label_name"], first["offensive"]) == (1, "1", False)
