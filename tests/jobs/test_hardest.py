from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from small_tasks import make_task

from sentflow.audit.settings import HardestSettings
from sentflow.files.arrow import table_of
from sentflow.files.parquet import write_parquet
from sentflow.probing.jobs import hardest
from sentflow.texts.table import TaskTable, write_task


def write_predictions(file: Path, table: TaskTable, *repetitions: tuple[set[int], Sequence[int]]) -> Path:
    """Predictions of the rows of each repetition, right but for those of a set."""
    columns = defaultdict(list)
    for number, (wrong, tested) in enumerate(repetitions, start=1):
        rows = np.asarray(tested)
        truth = table.labels[rows]
        predicted = np.where(np.isin(rows, list(wrong)), 1 - truth, truth)
        columns["row"] += rows.tolist()
        columns["repetition"] += [number] * len(rows)
        columns["fold"] += [1] * len(rows)
        columns["truth"] += truth.tolist()
        columns["predicted"] += predicted.tolist()
        columns["score"] += predicted.astype(float).tolist()
    write_parquet(file, table_of({name: np.array(values) for name, values in columns.items()}))
    return file


def test_the_hardest_come_first_and_what_is_never_wrong_is_left_out(tmp_path):
    table, output = make_task(12), tmp_path / "hardest.parquet"
    write_task(tmp_path / "rows.parquet", table)
    # row 7 is left out of the second repetition of the first model
    others = [*range(7), *range(8, 12)]
    files = [
        write_predictions(tmp_path / "a.parquet", table, ({3, 5}, range(12)), ({3}, others)),
        write_predictions(tmp_path / "b.parquet", table, ({3, 7}, range(12)), ({3, 7}, range(12))),
    ]
    settings = HardestSettings(models=("one", "two"), offensive=False)
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
