"""Repeated cross-validation of a probe on frozen features: the library's entry point."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from sentflow.probing.accelerator.devices import check_device
from sentflow.probing.kernels.fused import check_installed
from sentflow.probing.protocol.draws import FoldPlan, plan_folds
from sentflow.probing.protocol.metrics import METRICS
from sentflow.probing.protocol.settings import PUBLISHED, ProbeProtocol
from sentflow.probing.protocol.switches import not_comparable_text
from sentflow.probing.storage.records import TEST_EPOCH, fold_records, prediction_records
from sentflow.probing.training.fold import KERNELS, FoldResult, train_fold
from sentflow.probing.training.selected_rows import SelectedRows

if TYPE_CHECKING:
    import pandas as pd

    from sentflow.probing.features.rows import FeaturePart

logger = logging.getLogger(__name__)

__all__ = ["TEST_EPOCH", "CrossValidation", "FeatureSource", "cross_validate", "train_folds"]


class FeatureSource(Protocol):
    """Features of the three parts of a fold; a lazy encoder is refitted in here."""

    def parts(self, plan: FoldPlan) -> "tuple[FeaturePart, FeaturePart, FeaturePart]":
        """(n, D) float32 features of the training, evaluation and test rows, all dense or all sparse."""


@dataclass(frozen=True)
class FixedFeatures:
    """Features that do not depend on the fold: (n, D) float32."""

    features: np.ndarray

    def parts(self, plan: FoldPlan) -> tuple[SelectedRows, SelectedRows, SelectedRows]:
        """See `FeatureSource`."""
        train, evaluation, test = (
            SelectedRows(self.features, rows) for rows in (plan.train, plan.evaluation, plan.test)
        )
        return train, evaluation, test


@dataclass(frozen=True)
class CrossValidation:
    """Everything a cross-validation gave.

    Attributes
    ----------
    folds
        One `FoldResult` per fold, in order.
    """

    folds: list[FoldResult]

    @property
    def scores(self) -> "pd.DataFrame":
        """The published unaggregated layout.

        Columns kfold_repetition, kfold_partition and train_epoch (1-based; −1 for test), metric, value.
        """
        return _frame(fold_records(fold) for fold in self.folds)

    @property
    def predictions(self) -> "pd.DataFrame":
        """Out-of-fold predictions: row, repetition, fold, truth, predicted, score (see `class_scores`)."""
        return _frame(prediction_records(fold) for fold in self.folds)

    @property
    def settings(self) -> "pd.DataFrame":
        """The chosen setting per fold: repetition, fold, learning_rate, beta1, beta2, epochs."""
        return _frame(
            {
                "repetition": [fold.repetition],
                "fold": [fold.fold],
                **{name: [value] for name, value in fold.setting._asdict().items()},
                "epochs": [len(fold.train_losses)],
            }
            for fold in self.folds
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
    device: str = "cpu",
    kernel: str = "numpy",
) -> CrossValidation:
    """Probe features by a protocol; the published one gives the same number on every fold as the published evaluator.

    Parameters
    ----------
    features
        (n, D) real numbers, finite; used as float32.
    labels
        (n,) class labels; their sorted order gives the class indices.
    metric
        ``"mcc"`` (two classes) or ``"adjusted_macro_f1"``.
    hidden
        Units of the hidden layer of an MLP probe; None for a logistic one.
    protocol
        How probes are trained and tested; `sentflow.probe_protocol` gives one by name.
    repetitions, folds, seed
        Of the repeated stratified cross-validation; without them those of the protocol.
    groups
        (n,) the document of each row, in any type that sorts: needed by, and only read under, a protocol with the
        switch ``group_folds``.
    device
        Of torch. On ``"cuda"`` as many folds as its memory holds are trained side by side; last digits differ from
        those of ``"cpu"``.
    kernel
        ``"numba"`` trains logistic probes on a processor in compiled loops, two to four times as fast, if numba is
        installed; losses then differ in the last digits.

    Returns
    -------
    CrossValidation
        `.scores`, `.predictions` and `.settings` are data frames.

    Raises
    ------
    ValueError
        Shapes differ, a value is not finite, the metric is unknown or does not fit the number of classes, a
        class has fewer rows than folds, or a training part is smaller than the protocol can train on; documents are
        missing, or cannot be dealt to the folds; the kernel is unknown.
    ConfigError
        The kernel is not installed, or there is no such device.

    Notes
    -----
    Numbers of the protocol that are not the published ones are told by a warning in the log: scores are then not
    comparable with published ones. ulysses-camara/ulysses-senteval@f2a12c2. Numbers depend neither on the number of
    threads set by the caller nor on which other folds are computed: torch is held to one thread meanwhile.
    """
    protocol = replace(
        protocol,
        repetitions=protocol.repetitions if repetitions is None else repetitions,
        folds=protocol.folds if folds is None else folds,
        seed=protocol.seed if seed is None else seed,
    )
    _check_kernel(kernel)
    check_device(device)
    features = np.asarray(features, dtype=np.float32)
    labels = np.asarray(labels)
    classes, indices = np.unique(labels, return_inverse=True)
    _check(features, indices, len(classes), metric, protocol)
    if changes := protocol.changes():
        logger.warning("scores are not comparable with published ones: %s", not_comparable_text(changes))
    results = train_folds(
        FixedFeatures(features),
        indices.astype(np.int64),
        metric=metric,
        n_classes=len(classes),
        hidden=hidden,
        protocol=protocol,
        device=device,
        kernel=kernel,
        groups=_document_numbers(groups, len(labels)) if protocol.switches.group_folds else None,
    )
    return CrossValidation(list(results))


def train_folds(
    source: FeatureSource,
    labels: np.ndarray,
    *,
    metric: str,
    n_classes: int,
    hidden: int | None,
    protocol: ProbeProtocol,
    device: str = "cpu",
    kernel: str = "numpy",
    wanted: set[tuple[int, int]] | None = None,
    groups: np.ndarray | None = None,
) -> Iterator[FoldResult]:
    """Train the wanted folds (all without `wanted`), in their order; `groups` as in `plan_folds`.

    On a processor each fold is computed by itself, so its result does not depend on which others are asked for. On
    other devices folds of fixed features are trained side by side (`accelerator.folds_together`): what is asked for
    beside a fold may move its last bits.
    """
    with one_thread(torch=hidden is not None or device != "cpu"):
        plans = plan_folds(labels, protocol, wanted=wanted, groups=groups)
        if device != "cpu" and isinstance(source, FixedFeatures):
            from sentflow.probing.accelerator.folds_together import Together

            together = Together(metric, n_classes, hidden, protocol, device)
            yield from together.train(source.features, labels, plans)
            return
        for plan in plans:
            yield train_fold(
                plan,
                source.parts(plan),
                labels,
                metric=metric,
                n_classes=n_classes,
                hidden=hidden,
                protocol=protocol,
                device=device,
                kernel=kernel,
            )


@contextmanager
def one_thread(*, torch: bool) -> Iterator[None]:
    """Hold BLAS to one thread, and torch where it is used: the order of sums depends on their number."""
    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(1))
        if torch:
            from sentflow.probing.accelerator.tensor_training import one_torch_thread

            stack.enter_context(one_torch_thread())
        yield


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
    n_train = smallest_training_part(n_classes * smallest, protocol)
    # without the published floor a small part is one smaller batch; the batch norm of an MLP needs two rows
    least = protocol.batch_size if protocol.switches.warmup_floor else 2
    if n_train < least:
        raise ValueError(
            f"the training part of a fold has {n_train} rows, fewer than "
            + (f"one batch of {least}" if protocol.switches.warmup_floor else "two")
        )


def _check_kernel(kernel: str) -> None:
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {', '.join(KERNELS)}; got {kernel!r}")
    if kernel == "numba":
        check_installed()


def _document_numbers(groups: np.ndarray | None, n_rows: int) -> np.ndarray:
    """(n,) int64, as `plan_folds` needs them."""
    if groups is None or np.shape(groups) != (n_rows,):
        found = "none" if groups is None else str(np.shape(groups))
        raise ValueError(
            f"the protocol keeps documents together (group_folds): groups must name that of each of {n_rows} rows; "
            f"got {found}"
        )
    numbers: np.ndarray = np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.int64)
    return numbers


def smallest_training_part(n_balanced: int, protocol: ProbeProtocol) -> int:
    """Rows of the smallest training part of any fold, out of `n_balanced` balanced rows."""
    rest = n_balanced - -(-n_balanced // protocol.folds)
    return rest - int(np.ceil(protocol.evaluation_share * rest))


def _frame(records: Iterable[dict[str, "np.ndarray | list[object]"]]) -> "pd.DataFrame":
    import pandas as pd

    return pd.concat([pd.DataFrame(record) for record in records], ignore_index=True)
