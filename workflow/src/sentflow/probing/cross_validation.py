"""Repeated cross-validation of a probe on frozen features: the library's entry point."""

import logging
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sentflow.probing.catalog import changed_settings
from sentflow.probing.fold import METRICS, FoldResult, ProbeDesign, fold_records, prediction_records
from sentflow.probing.settings import PUBLISHED, REGULARISED, ProbeProtocol, not_comparable_text
from sentflow.probing.training import FixedFeatures, train_folds
from sentflow.stats.effective import Documents
from sentflow.stats.paired import CorrectedT
from sentflow.texts.checks import training_rows

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

LEVEL = 0.95  # of the interval that a result prints, as in the default experiment


@dataclass(frozen=True)
class CrossValidation:
    """Everything a cross-validation gave."""

    folds: list[FoldResult]  # one `FoldResult` per fold, in order
    documents: float = math.inf  # effective number of those that folds keep together (`Documents`)

    @property
    def scores(self) -> "pd.DataFrame":
        """As published: kfold_repetition, kfold_partition, train_epoch (1-based; −1 for test), metric, value."""
        return _frame(fold_records(fold) for fold in self.folds)

    @property
    def predictions(self) -> "pd.DataFrame":
        """Out-of-fold predictions: row, repetition, fold, truth, predicted, score (see `class_scores`)."""
        return _frame(prediction_records(fold) for fold in self.folds)

    @property
    def settings(self) -> "pd.DataFrame":
        """The chosen setting per fold: repetition, fold, learning_rate, beta1, beta2 (or penalty, scaling), epochs."""
        return _frame(
            {
                "repetition": [fold.repetition],
                "fold": [fold.fold],
                **{name: [value] for name, value in fold.chosen.items()},
                "epochs": [len(fold.train_losses)],
            }
            for fold in self.folds
        )

    def frame(self) -> "pd.DataFrame":
        """One row per fold: repetition, fold, score and loss on the test part, then the chosen setting and epochs."""
        found = self.settings
        found.insert(2, "score", [fold.test_metric for fold in self.folds])
        found.insert(3, "loss", [fold.test_loss for fold in self.folds])
        return found

    def __repr__(self) -> str:
        values = np.array([fold.test_metric for fold in self.folds])
        folds = max((fold.fold for fold in self.folds), default=0)
        if folds < 2:
            return f"CrossValidation of {len(values)} folds"
        found = CorrectedT(values, folds, self.documents)
        low, high = found.interval(LEVEL)
        interval = "" if found.degenerate or math.isnan(low) else f" [{low:.3f}, {high:.3f}]"
        return f"CrossValidation: test score {values.mean():.3f}{interval} over {len(values)} folds" + (
            f" ({LEVEL:.0%} generalisation interval)" if interval else ", no interval"
        )


def cross_validate(
    features: np.ndarray,
    labels: np.ndarray,
    *,
    metric: str,
    hidden: int | None = None,
    protocol: ProbeProtocol = PUBLISHED,
    repetitions: int | None = None,
    folds: int | None = None,
    seed: int | None = None,
    groups: np.ndarray | None = None,
) -> CrossValidation:
    """Probe features by a protocol; the published one gives the same number on every fold as the published evaluator.

    `features`: (n, D) real numbers, finite; used as float32. `labels`: (n,) class labels; their sorted order gives the
    class indices. `metric`: ``"mcc"`` (two classes) or ``"adjusted_macro_f1"``. `hidden`: units of the hidden layer of
    an MLP probe; None for a logistic one, or where the protocol has its own. `protocol`: how probes are trained and
    tested; `sentflow.probe_protocol` gives one by name. `repetitions`, `folds`, `seed`: of the repeated stratified
    cross-validation; by default those of the protocol. `groups`: (n,) the document of each row, in any type that sorts,
    which the switch ``group_folds`` needs. Raises ValueError: shapes differ, a value is not finite, the metric is
    unknown or does not fit the number of classes, a class has fewer rows than folds, a training part is too small, or
    documents are missing or cannot be assigned to the folds.

    Numbers that are not the published ones are told by a warning in the log. ulysses-camara/ulysses-senteval@f2a12c2.
    Results depend neither on the caller's threads nor on which other folds are computed.
    """
    protocol = protocol.but(
        repetitions=protocol.repetitions if repetitions is None else repetitions,
        folds=protocol.folds if folds is None else folds,
        seed=protocol.seed if seed is None else seed,
    )
    if hidden is not None and protocol.classifier == REGULARISED:
        raise ValueError(f"regularised probes have no hidden layer: write hidden=None, not {hidden}")
    features, labels = np.asarray(features, dtype=np.float32), np.asarray(labels)
    classes, indices = np.unique(labels, return_inverse=True)
    design = ProbeDesign(metric, len(classes), hidden, protocol)
    _check(features, indices, len(classes), metric, protocol)
    if changes := changed_settings(protocol):
        logger.warning("scores are not comparable with published ones: %s", not_comparable_text(changes))
    indices = indices.astype(np.int64)
    numbers = _document_numbers(groups, len(labels)) if protocol.switches.group_folds else None
    results = train_folds(FixedFeatures(features), indices, design, groups=numbers)
    documents = math.inf if numbers is None else Documents.of(numbers, indices).effective
    return CrossValidation(list(results), documents)


def _check(
    features: np.ndarray, labels: np.ndarray, n_classes: int, metric: str, protocol: ProbeProtocol
) -> None:
    if features.ndim != 2 or labels.shape != features.shape[:1]:
        raise ValueError(
            f"features must be (n, D) with one row per label; got {features.shape} and {labels.shape}"
        )
    if not np.isfinite(features).all():
        rows = np.flatnonzero(~np.isfinite(features).all(axis=1))
        raise ValueError(f"features must be finite; rows {rows[:5].tolist()} (of {len(rows)}) are not")
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}; got {metric!r}")
    if n_classes < 2 or (metric == "mcc" and n_classes != 2):
        needed = "two" if metric == "mcc" else "at least two"
        raise ValueError(f"{metric} needs {needed} classes; got {n_classes}")
    smallest = int(np.bincount(labels).min())
    if smallest < protocol.folds:
        raise ValueError(
            f"every class needs a row per fold: the smallest has {smallest}, folds={protocol.folds}"
        )
    n_train = training_rows(n_classes * smallest, protocol.folds, protocol.evaluation_share)
    # without the published floor a small part is one smaller batch; the batch norm of an MLP needs two rows
    least = protocol.batch_size if protocol.switches.warmup_floor else 2
    if n_train < least:
        raise ValueError(
            f"the training part of a fold has {n_train} rows, fewer than "
            + (f"one batch of {least}" if protocol.switches.warmup_floor else "two")
        )


def _document_numbers(groups: np.ndarray | None, n_rows: int) -> np.ndarray:
    """(n,) int64, as `plan_folds` needs them."""
    if groups is None or np.shape(groups) != (n_rows,):
        found = "none" if groups is None else str(np.shape(groups))
        raise ValueError(
            "the protocol keeps documents together (group_folds): groups must give the document of each of "
            f"the {n_rows} rows; got {found}"
        )
    return np.asarray(np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.int64))


def _frame(records: Iterable[dict[str, "np.ndarray | list[object]"]]) -> "pd.DataFrame":
    import pandas as pd

    return pd.concat([pd.DataFrame(record) for record in records], ignore_index=True)
