"""What a score file says beside its numbers, and out-of-fold predictions of a task and encoder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sentflow.errors import DataError
from sentflow.files.parquet import numbers_of, read_parquet, readable
from sentflow.probing.fold_files import FoldInfo
from sentflow.probing.settings import AboutProtocol, ProbeSettings
from sentflow.stats.effective import Documents
from sentflow.stats.items import OutOfFold, resampling_units
from sentflow.texts.table import TaskTable, contradicting_rows, row_graph

COLUMNS = ("repetition", "fold", "row", "truth", "predicted", "score")


def read_predictions(files: Sequence[Path | str]) -> pa.Table:
    """The predictions in some files, one after the other: the columns of `COLUMNS`."""
    tables = []
    for file in files:
        with readable(file, "file of predictions", delete="the score beside it"):
            tables.append(read_parquet(file, COLUMNS))
    return pa.concat_tables(tables).replace_schema_metadata(None)


def out_of_fold(predictions: pa.Table, labels: np.ndarray, *, where: str) -> OutOfFold:
    """The predictions as arrays. `labels`: (n,) int64 class indices of the task's rows."""
    names = ("repetition", "fold", "row", "truth", "predicted")
    found = OutOfFold(**{name: numbers_of(predictions.column(name)) for name in names})
    inside = (found.row >= 0) & (found.row < len(labels))
    if not inside.all() or (labels[found.row] != found.truth).any():
        raise DataError(
            f"{where}: the predictions are for other rows or labels than those of the task table. Delete the "
            "folds and run snakemake again."
        )
    return found


def about_score(
    table: TaskTable,
    folds: Sequence[FoldInfo],
    *,
    model: str,
    probe: ProbeSettings,
    protocol: AboutProtocol,
) -> dict[str, Any]:
    """What was measured, and on which rows."""
    switches = protocol.switches.changes()
    return {
        **probe.protocol.cross_validation,
        "metric": probe.metric,
        "classifier": probe.protocol.classifier,
        # a protocol that differs in its statistics alone scores the folds of another
        "protocol": protocol.name,
        # only what is not as published, so that a published score has the bytes it always had
        **({"switches": switches} if switches else {}),
        **({"not_comparable": protocol.changed} if protocol.changed else {}),
        # not every task has documents to keep together
        **({"groups_folds": True} if probe.protocol.switches.group_folds else {}),
        "task": table.info.task,
        "model": model,
        "layout": table.info.layout,
        "data_version": table.info.data_version,
        "n_folds": len(folds),
        "n_rows": len(table),
        "n_balanced_rows": folds[0].n_train + folds[0].n_evaluation + folds[0].n_test,
        "n_classes": len(table.info.classes),
        "n_train": min(fold.n_train for fold in folds),
        "n_contradicting": len(contradicting_rows(table)),
        "effective_rows": row_graph(table).effective_rows,
        # a lazy encoder's width depends on the training texts of the fold
        "dimension": max(fold.dimension for fold in folds),
    }


def kept_documents(table: TaskTable, probe: ProbeSettings) -> Documents | None:
    """The documents of a task that settings of folds keep together; None where rows are assigned one by one.

    Rows without a document are documents of their own. Settings of a task whose rows name none do not keep any
    together, see `catalog.job_settings`.
    """
    if not probe.protocol.switches.group_folds:
        return None
    return Documents.of(resampling_units(table.labels, table.groups).of_row, table.labels)
