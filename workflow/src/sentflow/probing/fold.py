"""A fold beside its features: labels, draws, schedules, how logits are judged, when training stops, the result."""

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sentflow.files.parquet import table_of, write_parquet
from sentflow.probing.draws import FoldPlan
from sentflow.probing.probes import (
    Schedule,
    TorchGenerator,
    adamw_schedule,
    class_scores,
    epoch_orders,
    logistic_parameters,
    mean_losses,
    mlp_parameters,
    predicted_classes,
)
from sentflow.probing.settings import MLP, REGULARISED, Penalty, ProbeProtocol, ProbeSettings, Setting

logger = logging.getLogger(__name__)

METRICS = ("mcc", "adjusted_macro_f1")
PREDICTION = "prediction"
"""Metric of the rows of a fold file that are predictions, a row of the test part each."""
METADATA_KEY = b"sentflow"


def published_metric(
    name: str, truth: np.ndarray, predicted: np.ndarray, *, n_classes: int, clip: bool = True
) -> float:
    """The metric of a task, clipped below at 0 as published, or not.

    `name`: ``"mcc"`` or ``"adjusted_macro_f1"``. `truth`, `predicted`: (n,) integers in [0, n_classes), the classes of
    the task, not of this sample.
    """
    value = _of_counts(name, confusion(truth, predicted, n_classes=n_classes).tobytes(), n_classes)
    return max(0.0, value) if clip else value


@lru_cache(maxsize=1024)  # from epoch to epoch the predictions of a part seldom change
def _of_counts(name: str, cells: bytes, n_classes: int) -> float:
    counts = np.frombuffer(cells, dtype=np.int64).reshape(n_classes, n_classes)
    return matthews_correlation(counts) if name == "mcc" else adjusted_macro_f1(counts)


def confusion(truth: np.ndarray, predicted: np.ndarray, *, n_classes: int) -> np.ndarray:
    """(n_classes, n_classes) int64: rows are true classes, columns predicted ones."""
    cells = np.bincount(truth * n_classes + predicted, minlength=n_classes * n_classes)
    return cells.reshape(n_classes, n_classes)


def matthews_correlation(counts: np.ndarray) -> float:
    """Matthews correlation of a confusion matrix, in [−1, 1]; 0 where it is undefined.

    Single precision is part of the protocol: in the search the first best setting wins, so the rounding of equal values
    decides. Sums and products of counts are exact in float32 for parts below 4096 rows.
    """
    true = counts.sum(axis=1).astype(np.float32)
    predicted = counts.sum(axis=0).astype(np.float32)
    n = np.float32(counts.sum())
    covariance = np.float32(np.trace(counts)) * n - np.sum(true * predicted)
    denominator = (n * n - np.sum(predicted * predicted)) * (n * n - np.sum(true * true))
    if denominator == 0:
        return 0.0
    return float(covariance / np.sqrt(denominator))


def adjusted_macro_f1(counts: np.ndarray) -> float:
    """(F1 − 1/K) / (1 − 1/K) of macro-F1 without classes that neither occur nor are predicted, as in torchmetrics."""
    n_classes = len(counts)
    hits = np.diag(counts).astype(np.float32)
    total = (counts.sum(axis=0) + counts.sum(axis=1)).astype(np.float32)
    present = total > 0
    macro = np.float32(0)
    for f1 in 2 * hits[present] / total[present]:  # one by one: np.sum would round differently
        macro += f1 / np.float32(present.sum())
    chance = np.float32(1 / n_classes)
    return float((macro - chance) / np.float32(1 - 1 / n_classes))


@dataclass(frozen=True)
class ProbeDesign:
    """The probe of a task."""

    metric: str
    n_classes: int  # classes of the task
    hidden: int | None  # units of the hidden layer; None for a probe without one
    protocol: ProbeProtocol  # grid, epochs, early stopping, draws

    @classmethod
    def of(cls, settings: ProbeSettings, n_classes: int) -> "ProbeDesign":
        """The design of a job for a task with so many classes."""
        protocol = settings.protocol
        hidden = protocol.hidden_width if protocol.classifier == MLP else None
        return cls(settings.metric, n_classes, hidden, protocol)

    @property
    def n_outputs(self) -> int:
        """1 for two classes, else the number of classes."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def regularised(self) -> bool:
        """Whether the probe is fitted by `REGULARISED_PROBES`."""
        return self.protocol.classifier == REGULARISED


TEST_EPOCH = -1  # the published marker of values that belong to no epoch


def _none() -> np.ndarray:
    return np.zeros(0, np.int64)


@dataclass(frozen=True)
class FoldResult:
    """What one fold gave; by default one without rows, for the documents of its task cannot be assigned to folds."""

    repetition: int  # 1-based, as the fold
    fold: int
    setting: Setting | Penalty | None = None  # the chosen point of the grid; None of an untested fold
    # train_losses, …: per epoch of the final training; of a regularised probe one value
    train_losses: list[float] = field(default_factory=list)
    evaluation_losses: list[float] = field(default_factory=list)
    evaluation_metrics: list[float] = field(default_factory=list)
    # test_loss, test_metric: of the last weights, or the best (`Switches.best_checkpoint`); see `regularised`
    test_loss: float = math.nan
    test_metric: float = math.nan
    # test_rows, …: (m,) of the test part: row numbers, true and predicted classes, probabilities
    test_rows: np.ndarray = field(default_factory=_none)
    truth: np.ndarray = field(default_factory=_none)
    predicted: np.ndarray = field(default_factory=_none)
    scores: np.ndarray = field(default_factory=_none)
    n_train: int = 0  # rows of the other two parts
    n_evaluation: int = 0
    dimension: int = 0  # width of the features

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


@dataclass(frozen=True)
class FoldInfo:
    """What a fold file says about itself."""

    setting: Mapping[str, float | str]  # the chosen point of the grid, by names
    n_train: int  # rows of the parts
    n_evaluation: int
    n_test: int
    dimension: int  # width of the features
    settings: str  # the JSON settings the probe was trained with

    @classmethod
    def of(cls, result: FoldResult, settings: ProbeSettings) -> "FoldInfo":
        """The description of a fold that was trained with such settings."""
        return cls(
            setting=result.chosen,
            n_train=result.n_train,
            n_evaluation=result.n_evaluation,
            n_test=len(result.test_rows),
            dimension=result.dimension,
            settings=settings.as_json(),
        )


def write_result(file: Path | str, result: FoldResult, settings: ProbeSettings) -> None:
    """Write a fold: the rows of `fold_records`, then its predictions; `settings` as in `FoldInfo.of`."""
    known = prediction_records(result)
    n = len(known["row"])
    predictions = table_of(
        {
            "kfold_repetition": known["repetition"],
            "kfold_partition": known["fold"],
            "train_epoch": np.full(n, TEST_EPOCH),
            "metric": [PREDICTION] * n,
            "value": known["score"].astype(np.float64),
            **{name: known[name] for name in ("row", "truth", "predicted")},
        }
    )
    rows = pa.concat_tables([table_of(fold_records(result)), predictions], promote_options="default")
    about = json.dumps(asdict(FoldInfo.of(result, settings)), sort_keys=True).encode()
    write_parquet(file, rows.replace_schema_metadata({METADATA_KEY: about}))


class Fold:
    """What is known of a fold before its features. `labels`: (n,) int64 of all rows of the task."""

    def __init__(self, plan: FoldPlan, labels: np.ndarray, design: ProbeDesign) -> None:
        self.plan, self.design, self.protocol = plan, design, design.protocol
        self.train_labels, self.evaluation_labels, self.test_labels = (
            labels[rows] for rows in (plan.train, plan.evaluation, plan.test)
        )
        self.batch_size = self.protocol.fits_batch(len(plan.train))
        self.n_batches = len(plan.train) // self.batch_size
        self._loader = TorchGenerator(plan.seed_loader)

    def draw_search(self) -> np.ndarray:
        """(S, epochs, batches, B) places in the training part: all epochs of the search, one setting after another."""
        settings, epochs = len(self.protocol.grid), self.protocol.search_epochs
        orders = self.draw_epochs(settings * epochs)
        return orders.reshape(settings, epochs, *orders.shape[1:])

    def draw_epochs(self, epochs: int) -> np.ndarray:
        """(epochs, batches, B) places in the training part: the loader's next epochs, without incomplete batches."""
        n = self.n_batches * self.batch_size
        orders = epoch_orders(self._loader, len(self.plan.train), epochs)
        return orders[:, :n].reshape(epochs, self.n_batches, -1)

    def initial(self, width: int) -> np.ndarray:
        """(P,) float32: the initial parameters of a probe of `width` features."""
        n_outputs, seed = self.design.n_outputs, self.plan.seed_init
        if self.design.hidden is None:
            return logistic_parameters(width, n_outputs, seed=seed)
        return mlp_parameters(width, n_outputs, hidden=self.design.hidden, seed=seed)

    def schedule(self, settings: Sequence[Setting], *, epochs: int) -> Schedule:
        """The schedule of probes with these settings, for at most `epochs` epochs."""
        return adamw_schedule(
            settings,
            self.protocol,
            n_steps=epochs * self.n_batches,
            warmup_steps=self.protocol.warmup_steps(self.n_batches),
        )

    def metrics(self, logits: np.ndarray, labels: np.ndarray) -> list[float]:
        """One per probe of (S, m, outputs) logits."""
        return [
            published_metric(
                self.design.metric,
                labels,
                predicted,
                n_classes=self.design.n_classes,
                clip=self.protocol.switches.clip_metric,
            )
            for predicted in self.classes(logits)
        ]

    def classes(self, logits: np.ndarray) -> np.ndarray:
        """(…, m) int64 predicted classes of (…, m, outputs) logits."""
        as_probabilities = self.protocol.switches.logit_in_unit_interval == "probability"
        return predicted_classes(logits, as_probabilities=as_probabilities)


class FinalRun:
    """The final training of a fold as it goes on: its curves, when it stops, and what it gave."""

    def __init__(self, fold: Fold, setting: Setting | Penalty) -> None:
        self.fold, self.setting = fold, setting
        # is_best: whether the weights of the last epoch are, so far, the ones to test (`Switches.best_checkpoint`)
        self.is_best = False
        self._losses: list[float] = []
        self._logits: list[np.ndarray] = []
        # lowest loss; that of the last epoch that improved enough, and epochs since it
        self._lowest, self._improved, self._stale = math.inf, math.inf, 0

    def after(self, logits: np.ndarray) -> bool:
        """Whether to stop after these (m, outputs) evaluation logits: too many epochs hardly lowered the loss."""
        protocol, loss = self.fold.protocol, part_loss(logits, self.fold.evaluation_labels)
        self._losses.append(loss)
        self._logits.append(logits)
        self.is_best = protocol.switches.best_checkpoint and loss < self._lowest
        self._lowest = min(self._lowest, loss)
        before = self._improved
        improvement = (before - loss) / (1e-12 + before) if before < math.inf else math.inf
        if not math.isfinite(loss) or improvement < protocol.min_improvement:
            self._stale += 1
        else:
            self._improved, self._stale = loss, 0
        return self._stale > protocol.patience

    def result(self, logits: np.ndarray, *, train_losses: list[float], dimension: int) -> FoldResult:
        """What the fold gave, from the (m, outputs) logits of its test part."""
        fold, plan, labels = self.fold, self.fold.plan, self.fold.test_labels
        predicted = fold.classes(logits)
        [test_metric] = fold.metrics(logits[None], labels)
        logger.info(
            "repetition %d fold %d: %s, %d epochs, test %s %.4f",
            plan.repetition,
            plan.fold,
            self.setting,
            len(self._losses),
            fold.design.metric,
            test_metric,
        )
        return FoldResult(
            repetition=plan.repetition,
            fold=plan.fold,
            setting=self.setting,
            train_losses=train_losses,
            evaluation_losses=self._losses,
            evaluation_metrics=fold.metrics(np.stack(self._logits), fold.evaluation_labels),
            test_loss=part_loss(logits, labels),
            test_metric=test_metric,
            test_rows=plan.test,
            truth=labels,
            predicted=predicted,
            scores=class_scores(logits, predicted),
            n_train=len(plan.train),
            n_evaluation=len(plan.evaluation),
            dimension=dimension,
        )


def part_loss(logits: np.ndarray, labels: np.ndarray) -> float:
    return float(mean_losses(logits[None], labels[None])[0])
