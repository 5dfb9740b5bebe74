"""What a score file says beside its numbers, and out-of-fold predictions of a task and encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.files.parquet import numbers_of, read_parquet, readable, table_of
from sentflow.probing.fold import METADATA_KEY, FoldInfo
from sentflow.probing.settings import AboutProtocol, ProbeSettings
from sentflow.stats.effective import Documents
from sentflow.stats.items import OutOfFold, resampling_units
from sentflow.texts.table import TaskTable, contradicting_rows, row_graph

_SCORES = ("kfold_repetition", "kfold_partition", "train_epoch", "metric", "value")
COLUMNS = ("repetition", "fold", "row", "truth", "predicted", "score")


@dataclass(frozen=True)
class Folds:
    """What some fold files hold, one after the other."""

    scores: pa.Table  # the columns of `fold_records`
    predictions: pa.Table  # columns repetition, fold, row, truth, predicted, score, in the order of the rows
    infos: list[FoldInfo]  # per file


def read_folds(files: Sequence[Path | str]) -> Folds:
    """Read fold files. Raises DataError: a file is missing, damaged, or that of another fold; it is named."""
    scores, predictions, infos = [], [], []
    for file in files:
        with readable(file, "fold file"):
            table = read_parquet(file)
            info = FoldInfo(**parse_json(table.schema.metadata[METADATA_KEY]))
            place = len(table) - info.n_test
            predictions.append(_predictions(table.slice(place)))
        infos.append(info)
        scores.append(table.select(_SCORES).slice(0, place).replace_schema_metadata(None))
    return Folds(pa.concat_tables(scores), pa.concat_tables(predictions), infos)


def _predictions(rows: pa.Table) -> pa.Table:
    return table_of(
        {
            "repetition": numbers_of(rows.column("kfold_repetition")),
            "fold": numbers_of(rows.column("kfold_partition")),
            "row": numbers_of(rows.column("row")),
            "truth": numbers_of(rows.column("truth")),
            "predicted": numbers_of(rows.column("predicted")),
            "score": numbers_of(rows.column("value")).astype(np.float32),
        }
    )


def refuse_other_settings(
    files: Sequence[Path | str], infos: Sequence[FoldInfo], settings: ProbeSettings
) -> None:
    """Refuse to mix folds of different protocols in one score. DataError: how many have other settings, and one."""
    wanted = settings.as_json()
    others = [file for file, info in zip(files, infos, strict=True) if info.settings != wanted]
    if others:
        raise DataError(
            f"{len(others)} of {len(infos)} folds were trained with other settings than {wanted}, e.g. {others[0]}. "
            "Delete them and run snakemake again."
        )


def read_predictions(files: Sequence[Path | str]) -> pa.Table:
    """The predictions in some files, one after the other: the columns of `COLUMNS`."""
    tables = []
    for file in files:
        with readable(file, "file of predictions", delete="the score beside it"):
            tables.append(read_parquet(file, COLUMNS))
    return pa.concat_tables(tables).replace_schema_metadata(None)


def out_of_fold(predictions: pa.Table, labels: np.ndarray) -> OutOfFold:
    """The predictions as arrays. `labels`: (n,) int64 class indices of the task's rows. DataError: other labels."""
    names = ("repetition", "fold", "row", "truth", "predicted")
    found = OutOfFold(**{name: numbers_of(predictions.column(name)) for name in names})
    inside = (found.row >= 0) & (found.row < len(labels))
    if not inside.all() or (labels[found.row] != found.truth).any():
        raise DataError(
            "the predictions are for other rows or labels than those of the task table. Delete the folds and run "
            "snakemake again."
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
    """The documents of a task that settings of folds keep together, see `catalog.job_settings`; None where none are."""
    if not probe.protocol.switches.group_folds:
        return None
    return Documents.of(resampling_units(table.labels, table.groups).of_row, table.labels)
