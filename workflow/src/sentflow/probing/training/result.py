"""What one fold gave, and the same as columns in the published names."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.probing.settings import Penalty, Setting

TEST_EPOCH = -1  # the published marker of values that belong to no epoch


@dataclass(frozen=True)
class FoldResult:
    """What one fold gave."""

    # repetition, fold: 1-based
    repetition: int
    fold: int
    setting: Setting | Penalty | None  # the chosen point of the grid; None of an untested fold
    # train_losses, evaluation_losses, evaluation_metrics: one value per epoch of the final training; of a regularised
    # probe one, of the chosen point of the grid
    train_losses: list[float]
    evaluation_losses: list[float]
    evaluation_metrics: list[float]
    # test_loss, test_metric: of the weights of the last epoch, or of the one with the lowest evaluation loss
    # (`Switches.best_checkpoint`); of a regularised probe, of weights that were fitted to the evaluation part, too
    test_loss: float
    test_metric: float
    # test_rows, truth, predicted, scores: (m,) of the test part: row numbers, true and predicted classes,
    # probabilities (`class_scores`)
    test_rows: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray
    # n_train, n_evaluation: rows of the other two parts
    n_train: int
    n_evaluation: int
    dimension: int  # width of the features

    @classmethod
    def untested(cls, repetition: int, fold: int) -> "FoldResult":
        """A fold without rows, whose scores are undefined: the documents of its task cannot be assigned to folds."""
        none, no_row = np.zeros(0), np.zeros(0, np.int64)
        return cls(
            repetition=repetition,
            fold=fold,
            setting=None,
            train_losses=[],
            evaluation_losses=[],
            evaluation_metrics=[],
            test_loss=math.nan,
            test_metric=math.nan,
            test_rows=no_row,
            truth=no_row,
            predicted=no_row,
            scores=none,
            n_train=0,
            n_evaluation=0,
            dimension=0,
        )

    @property
    def chosen(self) -> dict[str, float | str]:
        """`setting` by names."""
        return {} if self.setting is None else self.setting._asdict()


def fold_records(fold: FoldResult) -> dict[str, Any]:
    """Columns kfold_repetition, kfold_partition, train_epoch, metric, value: the epochs, then the test."""
    curves = {
        "loss_per_epoch_train": fold.train_losses,
        "loss_per_epoch_eval": fold.evaluation_losses,
        "metric_per_epoch_eval": fold.evaluation_metrics,
    }
    names = [name for name, curve in curves.items() for _ in curve]
    epochs = [epoch for curve in curves.values() for epoch in range(1, len(curve) + 1)]
    values = [value for curve in curves.values() for value in curve]
    n = len(names) + 2
    return {
        "kfold_repetition": np.full(n, fold.repetition),
        "kfold_partition": np.full(n, fold.fold),
        "train_epoch": np.array([*epochs, TEST_EPOCH, TEST_EPOCH]),
        "metric": [*names, "loss_test", "metric_test"],
        "value": np.array([*values, fold.test_loss, fold.test_metric]),
    }


def prediction_records(fold: FoldResult) -> dict[str, Any]:
    """Columns row, repetition, fold, truth, predicted, score of the test part, in the order of the rows."""
    order = np.argsort(fold.test_rows)
    return {
        "row": fold.test_rows[order],
        "repetition": np.full(len(order), fold.repetition),
        "fold": np.full(len(order), fold.fold),
        "truth": fold.truth[order],
        "predicted": fold.predicted[order],
        "score": fold.scores[order],
    }
