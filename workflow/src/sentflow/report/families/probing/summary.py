"""The published aggregation of a task and encoder -> its training curves."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.compare.score_rows import ScoreRow
from sentflow.files.parquet import read_parquet, readable
from sentflow.files.rows import number_or_nan, row_from
from sentflow.report.families.probing.rows import CurveRow

QUANTITIES = ("loss_per_epoch_train", "loss_per_epoch_eval", "metric_per_epoch_eval")


def curve_rows(
    row: ScoreRow, published: Mapping[str, Any], folds_per_epoch: Mapping[str, Sequence[int]]
) -> list[CurveRow]:
    """The training curves of one encoder on one task; they end early under some protocols (`ScoreRow.ends_curves`).

    `published`: published aggregated values: per quantity one list each for ``avg_``, ``ci99_low_`` and ``ci99_high_``
    (or another level). `folds_per_epoch`: per quantity the number of folds that reached epoch 1, 2, ….
    """
    found: list[CurveRow] = []
    for quantity in QUANTITIES:
        means = _series(published, rf"avg_{quantity}")
        lows = _series(published, rf"ci\d+_low_{quantity}")
        highs = _series(published, rf"ci\d+_high_{quantity}")
        counts = folds_per_epoch.get(quantity, ())
        found += [
            row_from(
                CurveRow, vars(row), quantity=quantity, epoch=epoch, mean=mean, low=low, high=high,
                level=row.repeatability_level, n_folds=count, n_folds_total=row.n_folds,
            )
            for epoch, (mean, low, high, count) in enumerate(zip(means, lows, highs, counts, strict=True), 1)
            # under early stopping, few folds that are left are not typical ones
            if not row.ends_curves or 2 * count >= row.n_folds
        ]  # fmt: skip
    return found


def _series(published: Mapping[str, Any], pattern: str) -> list[float]:
    [name] = [name for name in published if re.fullmatch(pattern, name)]
    return [number_or_nan(value) for value in published[name]]


_TEST_EPOCH = -1  # the published table marks test values so


def fold_scores(files: Iterable[Path]) -> dict[str, dict[str, list[float]]]:
    """Task → encoder → test score of each fold, of score tables."""
    found: dict[str, dict[str, list[float]]] = {}
    for file in files:
        with readable(file, "score table"):
            table = read_parquet(file, ["task", "metric", "value"])
        own = [row["value"] for row in table.to_pylist() if row["metric"] == "metric_test"]
        found.setdefault(table["task"][0].as_py(), {})[file.stem] = own
    return found


def folds_per_epoch(path: Path | str) -> dict[str, list[int]]:
    """Per quantity the number of folds with a value at epoch 1, 2, … (the published numbering)."""
    with readable(path, "score table"):
        table = read_parquet(path, ["metric", "train_epoch"])
    pairs = zip(table["metric"].to_pylist(), table["train_epoch"].to_pylist(), strict=True)
    counts: dict[str, Counter[int]] = {}
    for quantity, epoch in pairs:
        if epoch != _TEST_EPOCH:
            counts.setdefault(quantity, Counter())[epoch] += 1
    return {
        quantity: [by_epoch[epoch] for epoch in sorted(by_epoch)] for quantity, by_epoch in counts.items()
    }
