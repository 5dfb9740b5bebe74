"""Many score files -> the rows of the summary, refusing to put together what cannot be compared."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sentflow.errors import DataError
from sentflow.files.parquet import read_parquet
from sentflow.probing.protocol.switches import Switches, not_comparable_text, switch_text
from sentflow.report.families.probing.rows import CurveRow, ScoreRow
from sentflow.report.rows import described, number_or_nan, row_from, unique
from sentflow.texts.checks import BATCH_ROWS

QUANTITIES = ("loss_per_epoch_train", "loss_per_epoch_eval", "metric_per_epoch_eval")
# folds are paired across encoders only if these are equal everywhere
_SAME_EVERYWHERE = ("protocol", "switches", "repetitions", "folds", "seed", "level", "repeatability_level")
_SAME_WITHIN_TASK = (
    "metric",
    "classifier",
    "layout",
    "data_version",
    "n_rows",
    "n_balanced_rows",
    "n_classes",
    "not_comparable",
)


def score_row(scores: Mapping[str, Any], settings: Mapping[str, Any]) -> ScoreRow:
    """One row of the summary from one score file and the titles of its task and model.

    Raises
    ------
    ConfigError
        `settings` knows no such task or model.
    DataError
        The score file lacks a key.
    """
    try:
        # a score file names only what is not as published
        switches = Switches.unlike_published(scores.get("switches", {}))
        repeatability = scores["intervals"]["repeatability"]
        generalisation = scores["intervals"]["generalisation"]
        # the library scores folds without their predictions
        item = scores["intervals"].get("item", {"mean": None, "low": None, "high": None, "grouped": False})
        about_task, about_model = (
            described(settings, "tasks", scores["task"]),
            described(settings, "models", scores["model"]),
        )
        return row_from(
            ScoreRow,
            scores,
            task_title=about_task["title"],
            family=about_task["family"],
            model_title=about_model["title"],
            repeatability_low=number_or_nan(repeatability["low"]),
            repeatability_high=number_or_nan(repeatability["high"]),
            repeatability_level=repeatability["level"],
            generalisation_low=number_or_nan(generalisation["low"]),
            generalisation_high=number_or_nan(generalisation["high"]),
            level=generalisation["level"],
            degenerate=generalisation["degenerate"],
            is_control=bool(about_model["control"]),
            mean_clipped=number_or_nan(scores["mean"] if switches.clip_metric else scores["mean_clipped"]),
            switches=switch_text(switches.changes()),
            not_comparable=not_comparable_text(scores.get("not_comparable", {})),
            batch_rows=scores.get("not_comparable", {}).get("batch_size", {}).get("here", BATCH_ROWS),
            clips=switches.clip_metric,
            own_interval=switches.interval,
            ends_curves=not switches.curve_survivors,
            item_mean=number_or_nan(item["mean"]),
            item_low=number_or_nan(item["low"]),
            item_high=number_or_nan(item["high"]),
            item_grouped=item["grouped"],
            warmup_floor=switches.warmup_floor,
            position=about_model.get("position", -1),
        )
    except KeyError as error:
        raise DataError(f"no key {error} in the scores or in their settings") from error


def in_order(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    """The rows task after task, tasks and models in the order in which they first appear.

    Raises
    ------
    DataError
        A task and model appear twice, or rows were not made in the same way.
    """
    tasks = unique(row.task for row in rows)
    models = unique(row.model for row in rows)
    _refuse_mixtures(rows)
    return sorted(rows, key=lambda row: (tasks.index(row.task), models.index(row.model)))


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
    names = [name for name in published if re.fullmatch(pattern, name)]
    if len(names) != 1:
        raise DataError(f"the published values must have one key like {pattern}, found {names or 'none'}")
    return [number_or_nan(value) for value in published[names[0]]]


def _refuse_mixtures(rows: Sequence[ScoreRow]) -> None:
    problems = _differences(rows, _SAME_EVERYWHERE, "the experiment")
    by_task: dict[str, list[ScoreRow]] = defaultdict(list)
    for row in rows:
        by_task[row.task].append(row)
    for task, members in by_task.items():
        problems += _differences(members, _SAME_WITHIN_TASK, f"task {task}")
        models = [row.model for row in members]
        repeated = unique(model for model in models if models.count(model) > 1)
        problems += [f"task {task}: model {model} appears {models.count(model)} times" for model in repeated]
    if problems:
        raise DataError(
            "these scores cannot stand in one table:\n  "
            + "\n  ".join(problems)
            + "\nDelete the score files that do not belong to the current config and run again."
        )


def _differences(rows: Sequence[ScoreRow], names: Sequence[str], where: str) -> list[str]:
    problems = []
    for name in names:
        values: dict[Any, str] = {}
        for row in rows:
            values.setdefault(getattr(row, name), f"{row.task} × {row.model}")
        if len(values) > 1:
            listed = ", ".join(f"{value} ({first})" for value, first in values.items())
            problems.append(f"{where}: {name} differs: {listed}")
    return problems


_TEST_EPOCH = -1  # the published table marks test values so


def folds_per_epoch(path: Path | str) -> dict[str, list[int]]:
    """Per quantity the number of folds with a value at epoch 1, 2, … (the published numbering).

    Raises
    ------
    DataError
        The file is not a score table, or an epoch is left out.
    """
    try:
        table = read_parquet(path, ["metric", "train_epoch"])
    except (OSError, KeyError, pa.ArrowException) as error:
        raise DataError(
            f"{path} is not a readable score table ({error}). Delete it and run again."
        ) from error
    pairs = zip(table["metric"].to_pylist(), table["train_epoch"].to_pylist(), strict=True)
    counts: dict[str, Counter[int]] = {}
    for quantity, epoch in pairs:
        if epoch != _TEST_EPOCH:
            counts.setdefault(quantity, Counter())[epoch] += 1
    for quantity, by_epoch in counts.items():
        if sorted(by_epoch) != list(range(1, len(by_epoch) + 1)):
            raise DataError(f"{path}: the epochs of {quantity} do not run from 1 without gaps.")
    return {
        quantity: [by_epoch[epoch] for epoch in sorted(by_epoch)] for quantity, by_epoch in counts.items()
    }
