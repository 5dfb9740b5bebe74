"""The published aggregation of a task and encoder -> its training curves."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.rows import number_or_nan
from sentflow.report.families.probing.rows import CurveRow

QUANTITIES = ("loss_per_epoch_train", "loss_per_epoch_eval", "metric_per_epoch_eval")


def curve_rows(
    row: ScoreRow, published: Mapping[str, Any], folds_per_epoch: Mapping[str, Sequence[int]]
) -> list[CurveRow]:
    """The training curves of one encoder on one task; they end early under some protocols (`ScoreRow.ends_curves`).

    Parameters
    ----------
    row
        Its row of the summary.
    published
        Published aggregated values: per quantity one list each for ``avg_``, ``ci99_low_`` and
        ``ci99_high_`` (or another level).
    folds_per_epoch
        Per quantity the number of folds that reached epoch 1, 2, ….

    Raises
    ------
    DataError
        The aggregated lists and the unaggregated table do not have the same number of epochs.
    """
    found: list[CurveRow] = []
    for quantity in QUANTITIES:
        means = _series(published, rf"avg_{quantity}")
        lows = _series(published, rf"ci\d+_low_{quantity}")
        highs = _series(published, rf"ci\d+_high_{quantity}")
        counts = folds_per_epoch.get(quantity, ())
        if not len(means) == len(lows) == len(highs) == len(counts):
            raise DataError(
                f"{row.task}, {row.model}: {quantity} has {len(means)} aggregated epochs but the score "
                f"table has {len(counts)}. Delete both score files and run again."
            )
        for index, (mean, low, high, count) in enumerate(zip(means, lows, highs, counts, strict=True)):
            # under early stopping, few folds that are left are not typical ones
            if not row.ends_curves or 2 * count >= row.n_folds:
                found.append(_curve_row(row, quantity, index + 1, (mean, low, high), count))
    return found


def _curve_row(
    row: ScoreRow, quantity: str, epoch: int, values: tuple[float, float, float], n_folds: int
) -> CurveRow:
    return CurveRow(
        task=row.task,
        task_title=row.task_title,
        family=row.family,
        model=row.model,
        model_title=row.model_title,
        is_control=row.is_control,
        metric=row.metric,
        data_version=row.data_version,
        quantity=quantity,
        epoch=epoch,
        mean=values[0],
        low=values[1],
        high=values[2],
        level=row.repeatability_level,
        n_folds=n_folds,
        n_folds_total=row.n_folds,
        protocol=row.protocol,
        switches=row.switches,
        not_comparable=row.not_comparable,
        position=row.position,
    )


def _series(published: Mapping[str, Any], pattern: str) -> list[float]:
    names = [name for name in published if re.fullmatch(pattern, name)]
    if len(names) != 1:
        raise DataError(f"the published values must have one key like {pattern}, found {names or 'none'}")
    return [number_or_nan(value) for value in published[names[0]]]
