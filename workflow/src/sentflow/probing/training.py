"""Folds of a task: features standardised, the search over settings, the final training with early stopping."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from sentflow.errors import DataError
from sentflow.files.parquet import repetition_and_fold
from sentflow.probing.draws import FoldPlan, plan_folds, task_plans, too_few_documents
from sentflow.probing.fold import FinalRun, Fold, FoldResult, ProbeDesign
from sentflow.probing.fold_files import write_result
from sentflow.probing.kernels.features import Features, Problem, joined, standardised_sparse
from sentflow.probing.kernels.logistic import LogisticTraining
from sentflow.probing.settings import REGULARISED_PROBES, ProbeProtocol, ProbeSettings, Setting
from sentflow.texts.checks import check_folds, few_rows, misfit_classes
from sentflow.texts.table import TaskTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    FeaturePart: TypeAlias = "np.ndarray | SelectedRows | csr_array"
    Parts: TypeAlias = tuple[FeaturePart, FeaturePart, FeaturePart]
    from sentflow.probing.kernels.mlp import MlpTraining

logger = logging.getLogger(__name__)

_COPIED_AT_ONCE = 256  # a block of a few megabytes at most


class FeatureSource(Protocol):
    """Features of the three parts of a fold; a lazy encoder is refitted in here."""

    def parts(self, plan: FoldPlan) -> "Parts":
        """(n, D) float32 features of the training, evaluation and test rows, all dense or all sparse."""


@dataclass(frozen=True)
class SelectedRows:
    """Some rows of a matrix, copied only where they are used: a fold needs no second copy of its features."""

    matrix: np.ndarray  # (n, D) float32, in memory or mapped from a file
    rows: np.ndarray  # (m,) int64 row numbers

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the rows as an array."""
        return len(self.rows), self.matrix.shape[1]

    def write_to(self, out: np.ndarray) -> None:
        """Write the rows into (m, D) float32, which need not lie together in memory."""
        for start in range(0, len(self.rows), _COPIED_AT_ONCE):
            some = self.rows[start : start + _COPIED_AT_ONCE]
            out[start : start + len(some)] = self.matrix[some]


@dataclass(frozen=True)
class FixedFeatures:
    """Features that do not depend on the fold: (n, D) float32."""

    features: np.ndarray

    def parts(self, plan: FoldPlan) -> "Parts":
        train, evaluation, test = (
            SelectedRows(self.features, rows) for rows in (plan.train, plan.evaluation, plan.test)
        )
        return train, evaluation, test


@dataclass(frozen=True)
class MadeParts:
    """The features of one fold, made before."""

    made: "Parts"

    def parts(self, plan: FoldPlan) -> "Parts":  # noqa: ARG002  # there is one fold
        return self.made


_ROWS_AT_ONCE = 64  # float32 sums of so few squares are exact enough to be added up in float64


def standardised(
    parts: Sequence[np.ndarray | SelectedRows],
    *,
    ones: bool,
    unscaled_constant: bool = False,
) -> list[np.ndarray]:
    """Standardise by the first (training) part: (x − mean) / (1e-12 + std), std unbiased, in float32.

    `parts`: features (n, D) float32 of the training, evaluation and test part; they are left as they are.
    `unscaled_constant`: columns that are constant on the training part become x − mean, instead of (x − mean) · 1e12.
    """
    copies = [_copy(part, ones=ones) for part in parts]
    inner = [copy[:, : parts[0].shape[1]] for copy in copies]
    train = inner[0]
    mean, std = _moments(train)
    scale = std + np.float32(1e-12)
    if unscaled_constant:
        constant = np.all([(some == train[0]).all(axis=0) for some in _blocks(train)], axis=0)
        mean[constant], scale[constant] = train[0][constant], 1
        if constant.any():
            logger.info(
                "%d of %d columns are constant on the training part: left unscaled",
                constant.sum(),
                len(scale),
            )
    for values in inner:
        values -= mean
        values /= scale
    return copies


def _copy(part: np.ndarray | SelectedRows, *, ones: bool) -> np.ndarray:
    """(n, D) or, with a last column of ones, (n, D + 1): the only copy of a part that is made."""
    n, width = part.shape
    copy = np.empty((n, width + ones), np.float32)
    if isinstance(part, SelectedRows):
        part.write_to(copy[:, :width])
    else:
        copy[:, :width] = part
    copy[:, width:] = 1
    return copy


def _blocks(features: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(features), _ROWS_AT_ONCE):
        yield features[start : start + _ROWS_AT_ONCE]


def _moments(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = features.mean(axis=0, dtype=np.float64).astype(np.float32)
    squares = np.zeros(len(mean))
    for rows in _blocks(features):
        deviations = rows - mean
        squares += np.square(deviations, out=deviations).sum(axis=0)
    return mean, np.sqrt(squares / (len(features) - 1)).astype(np.float32)


def train_fold(
    plan: FoldPlan, parts: "Sequence[FeaturePart]", labels: np.ndarray, design: ProbeDesign
) -> FoldResult:
    """Choose a setting on the evaluation part, train with it, test once.

    `parts`: features (n, D) float32 of the training, evaluation and test rows, all dense or all sparse. `labels`: (n,)
    int64 of all rows of the task.
    """
    training = _FoldTraining(Fold(plan, labels, design), parts)
    return training.train_finally(training.search())


class _FoldTraining:
    def __init__(self, fold: Fold, parts: "Sequence[FeaturePart]") -> None:
        self._fold, self._protocol, self._hidden = fold, fold.protocol, fold.design.hidden
        self._dimension = parts[0].shape[1]
        self._sparse = not isinstance(parts[0], np.ndarray | SelectedRows)
        self._problem = self._joined_problem(parts)
        self._evaluation, self._test = self._problem.others

    def search(self) -> Setting:
        """The setting with the best evaluation metric after a short training; the first best wins."""
        epochs, grid = self._protocol.search_epochs, self._protocol.grid
        orders = self._fold.draw_search()
        # MLPs are bound by matrix products and gain nothing by training side by side
        size = len(grid) if self._hidden is None else 1
        metrics: list[float] = []
        for part in (slice(start, start + size) for start in range(0, len(grid), size)):
            training = self._new_training(grid[part], epochs=epochs)
            for epoch in range(epochs):
                training.epoch(orders[part, epoch])
            logits = training.logits(*self._evaluation)
            metrics += self._fold.metrics(logits, self._fold.evaluation_labels)
        return self._fold.best_setting(metrics)

    def train_finally(self, setting: Setting) -> FoldResult:
        """Train one probe until the evaluation loss stops falling, then test the last weights, or the best."""
        training = self._new_training([setting], epochs=self._protocol.max_epochs)
        run = FinalRun(self._fold, setting)
        for _ in range(self._protocol.max_epochs):
            training.epoch(self._fold.draw_epochs(1))
            stops = run.after(training.logits(*self._evaluation)[0])
            if run.is_best:
                run.best_logits = training.logits(*self._test)[0]
            if stops:
                break
        return run.result(
            training.logits(*self._test)[0] if run.best_logits is None else run.best_logits,
            train_losses=training.losses()[0].mean(axis=1).tolist(),
            dimension=self._dimension,
        )

    def _joined_problem(self, parts: "Sequence[FeaturePart]") -> Problem[Any]:
        train, *others = self._standardised(parts)
        first_width = self._fold.design.n_outputs if self._hidden is None else self._hidden
        return joined(train, others, self._fold.initial(self._dimension), first_width=first_width)

    def _standardised(self, parts: "Sequence[FeaturePart]") -> "Sequence[Features]":
        logistic, unscaled = self._hidden is None, self._protocol.switches.const_features == "unscaled"
        if self._sparse:
            return standardised_sparse(parts, ones=logistic, unscaled_constant=unscaled)
        return standardised(parts, ones=logistic, unscaled_constant=unscaled)

    def _new_training(self, settings: Sequence[Setting], *, epochs: int) -> "LogisticTraining | MlpTraining":
        schedule, labels = self._fold.schedule(settings, epochs=epochs), self._fold.train_labels
        problem, n_outputs = self._problem, self._fold.design.n_outputs
        if self._hidden is not None:
            from sentflow.probing.kernels.mlp import (
                MlpTraining,  # here, for it reads its compiled loops from files
            )

            return MlpTraining(problem, labels, schedule, n_outputs=n_outputs, hidden=self._hidden)
        return LogisticTraining(problem, labels, schedule, n_outputs=n_outputs)


def train_folds(
    source: FeatureSource,
    labels: np.ndarray,
    design: ProbeDesign,
    *,
    wanted: set[tuple[int, int]] | None = None,
    groups: np.ndarray | None = None,
) -> Iterator[FoldResult]:
    """Train the wanted folds (all without `wanted`), in their order; `groups` as in `plan_folds`."""
    return train_planned(
        source, labels, plan_folds(labels, design.protocol, wanted=wanted, groups=groups), design
    )


def train_planned(
    source: FeatureSource, labels: np.ndarray, plans: Iterable[FoldPlan], design: ProbeDesign
) -> Iterator[FoldResult]:
    """Train folds in their order, each by itself: its result does not depend on which others are wanted.

    BLAS is held to one thread: the order of sums, and with it the last bits, depends on their number.

    `labels`: (n,) int64 class indices of all rows.
    """
    with threadpool_limits(1):
        train = import_module(REGULARISED_PROBES).train_fold if design.regularised else train_fold
        for plan in plans:
            yield train(plan, source.parts(plan), labels, design)


def probe_task(
    source: FeatureSource, table: TaskTable, settings: ProbeSettings, outputs: Sequence[Path | str]
) -> None:
    """Train the folds whose files are asked for and write each with its predictions."""
    design = ProbeDesign.of(settings, len(table.info.classes))
    # prepare looked too, but it does not run again when the config asks for another metric or more folds
    if problems := misfit_classes(Counter(table.labels.tolist()), design.metric):
        raise DataError(f"{table.info.task}: {'; '.join(problems)}.")
    check_folds(table, **design.protocol.needs())
    warn_of_few_rows(table, design.protocol)
    file_of = {repetition_and_fold(file): file for file in outputs}
    if settings.folds_optional and (warning := too_few_documents(table, design.protocol)):
        logger.warning("%s: %s", table.info.task, warning)
        for place, file in file_of.items():
            write_result(file, FoldResult.untested(*place), settings)
        return
    plans = task_plans(table, design.protocol, wanted=set(file_of))
    for result in train_planned(source, table.labels, plans, design):
        write_result(file_of[result.repetition, result.fold], result, settings)
    logger.info("%d folds written", len(file_of))


def warn_of_few_rows(table: TaskTable, protocol: ProbeProtocol) -> None:
    """Say in the log where a task has too few rows for its protocol."""
    counts = np.unique(table.labels, return_counts=True)[1].tolist()
    if warning := few_rows(counts, protocol=protocol.name, **protocol.needs()):
        logger.warning("%s: %s", table.info.task, warning)
