"""The test metric of every fold, from an unaggregated score table."""

from pathlib import Path

import numpy as np

from sentflow.files.parquet import read_parquet, readable

_COLUMNS = ["kfold_repetition", "kfold_partition", "metric", "value"]


def fold_scores(path: Path | str) -> np.ndarray:
    """(J,) float64 in the order of repetitions and folds.

    Raises
    ------
    DataError
        The file is not a score table.
    """
    with readable(path, "score table"):
        table = read_parquet(path, _COLUMNS)
    columns = {name: table[name].to_numpy(zero_copy_only=False) for name in _COLUMNS}
    tested = columns["metric"] == "metric_test"
    order = np.lexsort((columns["kfold_partition"][tested], columns["kfold_repetition"][tested]))
    values: np.ndarray = columns["value"][tested].astype(np.float64)[order]
    return values
