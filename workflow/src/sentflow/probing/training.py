"""Folds of a task: features standardised, the search over settings, the final training with early stopping."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from sentflow.errors import DataError
from sentflow.files.parquet import repetition_and_fold
from sentflow.probing.draws import FoldPlan, plan_folds, task_plans, too_few_documents
from sentflow.probing.features import Problem, SelectedRows, joined, standardised, standardised_sparse
from sentflow.probing.fold import FinalRun, Fold, FoldResult, ProbeDesign, write_result
from sentflow.probing.probes import LogisticTraining, MlpTraining
from sentflow.probing.settings import REGULARISED_PROBES, ProbeProtocol, ProbeSettings, Setting
from sentflow.texts.checks import check_folds, few_rows, misfit_classes
from sentflow.texts.table import TaskTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    FeaturePart: TypeAlias = "np.ndarray | SelectedRows | csr_array"
    Parts: TypeAlias = tuple[FeaturePart, FeaturePart, FeaturePart]

logger = logging.getLogger(__name__)


class FeatureSource(Protocol):
    """Features of the three parts of a fold; a lazy encoder is refitted in here."""

    def parts(self, plan: FoldPlan) -> "Parts":
        """(n, D) float32 features of the training, evaluation and test rows, all dense or all sparse."""


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


def train_fold(
    plan: FoldPlan, parts: "Sequence[FeaturePart]", labels: np.ndarray, design: ProbeDesign
) -> FoldResult:
    """Choose a setting on the evaluation part, train with it, test once.

    The search keeps the first setting with the best evaluation metric after a short training. The final training ends
    when the evaluation loss stops falling; its last weights are tested, or its best.

    `parts`: (n, D) float32 features of the training, evaluation and test rows. `labels`: (n,) int64 of all rows.
    """
    fold, protocol, width = Fold(plan, labels, design), design.protocol, parts[0].shape[1]
    problem = _problem(fold, parts)
    evaluation, test = problem.others
    epochs, grid = protocol.search_epochs, protocol.grid
    orders = fold.draw_search()
    # MLPs are bound by matrix products and gain nothing by training side by side
    size = len(grid) if design.hidden is None else 1
    metrics: list[float] = []
    for part in (slice(start, start + size) for start in range(0, len(grid), size)):
        training = _training(fold, problem, grid[part], epochs=epochs)
        for epoch in range(epochs):
            training.epoch(orders[part, epoch])
        metrics += fold.metrics(training.logits(*evaluation), fold.evaluation_labels)
    setting = grid[int(np.argmax(metrics))]  # argmax gives the first of equals
    training = _training(fold, problem, [setting], epochs=protocol.max_epochs)
    run, best = FinalRun(fold, setting), None
    for _ in range(protocol.max_epochs):
        training.epoch(fold.draw_epochs(1))
        stops = run.after(training.logits(*evaluation)[0])
        if run.is_best:
            best = training.logits(*test)[0]
        if stops:
            break
    return run.result(
        training.logits(*test)[0] if best is None else best,
        train_losses=training.losses()[0].mean(axis=1).tolist(),
        dimension=width,
    )


def _problem(fold: Fold, parts: "Sequence[FeaturePart]") -> Problem:
    hidden = fold.design.hidden
    how = {"ones": hidden is None, "unscaled_constant": fold.protocol.switches.const_features == "unscaled"}
    dense = isinstance(parts[0], np.ndarray | SelectedRows)
    train, *others = (standardised if dense else standardised_sparse)(parts, **how)
    first_width = fold.design.n_outputs if hidden is None else hidden
    return joined(train, others, fold.initial(parts[0].shape[1]), first_width=first_width)


def _training(
    fold: Fold, problem: Problem, settings: Sequence[Setting], *, epochs: int
) -> LogisticTraining | MlpTraining:
    schedule, n_outputs = fold.schedule(settings, epochs=epochs), fold.design.n_outputs
    if fold.design.hidden is None:
        return LogisticTraining(problem, fold.train_labels, schedule, n_outputs=n_outputs)
    return MlpTraining(problem, fold.train_labels, schedule, n_outputs=n_outputs, hidden=fold.design.hidden)


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
    """Train folds in their order, each by itself, with (n,) int64 class indices of all rows.

    BLAS is held to one thread: the order of sums, and with it the last bits, depends on their number.
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
            write_result(file, FoldResult(*place), settings)
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
