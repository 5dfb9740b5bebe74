"""Every random draw of the published protocol, in its order: ulysses-camara/ulysses-senteval@f2a12c2.

The draws depend on the labels and the seed alone, so that encoders are compared fold by fold on the same rows.
"""

import logging
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sentflow.errors import DataError
from sentflow.probing.settings import ProbeProtocol, Switches
from sentflow.stats.items import resampling_units
from sentflow.texts.table import TaskTable

logger = logging.getLogger(__name__)

MAX_SEED = 2**32 - 1  # exclusive upper bound of every seed the published evaluator draws


class UngroupableError(ValueError):
    """Groups that cannot be assigned to folds."""


@dataclass(frozen=True)
class FoldPlan:
    """Which rows a fold trains on, selects on and tests on, and its two seeds."""

    repetition: int  # 1-based, as the fold
    fold: int
    train: np.ndarray  # int64 rows of the task table, in the order in which the evaluator sees them
    evaluation: np.ndarray
    test: np.ndarray
    seed_init: int  # of the initial weights
    seed_loader: int  # of the order of batches


def plan_folds(
    labels: np.ndarray,
    protocol: ProbeProtocol,
    *,
    wanted: set[tuple[int, int]] | None = None,
    groups: np.ndarray | None = None,
) -> Iterator[FoldPlan]:
    """The folds of a task in their order.

    `labels`: (n,) int64 class indices. `wanted`: (repetition, fold) pairs to give, all without it; a plan does not
    depend on the others. `groups`: (n,) int64 document of each row, never in two folds; None assigns rows one by one.
    Train, evaluation and test rows of a fold are disjoint; the test rows of a repetition partition the balanced rows.
    """
    seeds = np.random.RandomState(protocol.seed).randint(0, MAX_SEED, size=protocol.repetitions)
    for repetition, seed in enumerate(seeds, start=1):
        if wanted is None or any(asked == repetition for asked, _ in wanted):
            for plan in _plan_repetition(labels, protocol, repetition, int(seed), groups):
                if wanted is None or (plan.repetition, plan.fold) in wanted:
                    yield plan


def undersample(labels: np.ndarray, *, seed: int) -> np.ndarray:
    """Row numbers of a balanced subset: of every class, in sorted order, as many as the smallest one has."""
    generator = np.random.RandomState(seed)
    classes, counts = np.unique(labels, return_counts=True)
    chosen = [
        generator.choice(np.flatnonzero(labels == label), size=counts.min(), replace=False)
        for label in classes
    ]
    return np.concatenate(chosen)


def stratified_folds(labels: np.ndarray, n_folds: int, *, seed: int) -> np.ndarray:
    """(n,) int64: the fold of each row, from 0; every class is spread as evenly as it can be.

    The draws of scikit-learn's ``StratifiedKFold(shuffle=True)`` (1.7), which takes longer to import than a probe to
    train.
    """
    generator = np.random.RandomState(seed)
    classes, first, counts = np.unique(labels, return_index=True, return_counts=True)
    fold_of = np.empty(len(labels), np.int64)
    dealt = 0  # rows are assigned to the folds in turn, class after class, in the order in which classes first occur
    for k in np.argsort(first):
        own = (dealt + np.arange(counts[k])) % n_folds
        dealt += int(counts[k])
        folds = np.sort(own)
        generator.shuffle(folds)
        fold_of[labels == classes[k]] = folds
    return fold_of


def grouped_folds(labels: np.ndarray, groups: np.ndarray, n_folds: int, *, seed: int) -> np.ndarray:
    """(n,) int64: the fold of each row, from 0; a group is never split, classes are spread as evenly as that allows.

    Groups come in random order, the largest first; each goes to the first fold where it leaves the classes most even
    (least sum of squared shares). Raises UngroupableError: a fold would lack a class.
    """
    _, codes = np.unique(groups, return_inverse=True)
    classes, indices = np.unique(labels, return_inverse=True)
    counts = np.zeros((codes.max() + 1, len(classes)))
    np.add.at(counts, (codes, indices), 1)
    shares = counts / counts.sum(axis=0)
    order = np.random.RandomState(seed).permutation(len(counts))
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    filled = np.zeros((n_folds, len(classes)))
    fold_of_group = np.empty(len(counts), np.int64)
    for group in order:
        # Σ (f + g)² is least where Σ (2f + g) · g is
        best = int(np.argmin(((2 * filled + shares[group]) * shares[group]).sum(axis=1)))
        filled[best] += shares[group]
        fold_of_group[group] = best
    if (filled == 0).any():
        raise UngroupableError(
            f"the rows of {len(counts)} documents cannot be assigned to {n_folds} folds so that each "
            f"has every class (the rarest class occurs in {np.count_nonzero(counts, axis=0).min()} of them)"
        )
    return np.asarray(fold_of_group[codes])


def stratified_choice(labels: np.ndarray, size: int) -> np.ndarray:
    """(n,) bool: `size` of the rows, the first of every class, as many of each as its share, rounded by at most one."""
    classes, counts = np.unique(labels, return_counts=True)
    exact = size * counts / len(labels)
    quotas = np.floor(exact).astype(np.int64)
    quotas[np.argsort(quotas - exact, kind="stable")[: size - quotas.sum()]] += 1
    chosen = np.zeros(len(labels), bool)
    for label, quota in zip(classes, quotas, strict=True):
        chosen[np.flatnonzero(labels == label)[:quota]] = True
    return chosen


def _plan_repetition(
    labels: np.ndarray, protocol: ProbeProtocol, repetition: int, seed: int, groups: np.ndarray | None
) -> Iterator[FoldPlan]:
    generator = np.random.RandomState(seed)
    seed_undersampling, seed_folds = generator.randint(0, MAX_SEED, size=2)
    seeds_init, seeds_loader = generator.randint(0, MAX_SEED, size=(2, protocol.folds))
    generator.random()  # the published progress bar draws a delay; without it every later draw shifts

    rows = undersample(labels, seed=int(seed_undersampling))
    n_folds, seed_folds = protocol.folds, int(seed_folds)
    if groups is None:
        fold_of = stratified_folds(labels[rows], n_folds, seed=seed_folds)
    else:
        fold_of = grouped_folds(labels[rows], groups[rows], n_folds, seed=seed_folds)
    for fold in range(n_folds):
        rest, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        # The generator goes on from fold to fold, so a fold cannot be planned without those before it.
        generator.shuffle(rest)
        n_evaluation = math.ceil(protocol.evaluation_share * len(rest))
        chosen = np.arange(len(rest)) < n_evaluation
        if protocol.switches.stratify_eval:
            chosen = stratified_choice(labels[rows[rest]], n_evaluation)
        yield FoldPlan(
            repetition=repetition,
            fold=fold + 1,
            train=rows[rest[~chosen]],
            evaluation=rows[rest[chosen]],
            test=rows[test],
            seed_init=int(seeds_init[fold]),
            seed_loader=int(seeds_loader[fold]),
        )


def task_plans(
    table: TaskTable, protocol: ProbeProtocol, *, wanted: set[tuple[int, int]] | None = None
) -> Iterator[FoldPlan]:
    """The folds of a task, see `plan_folds`. DataError: its documents cannot be assigned to the folds."""
    groups = _documents(table) if protocol.switches.group_folds else None
    try:
        yield from plan_folds(table.labels, protocol, wanted=wanted, groups=groups)
    except UngroupableError as error:
        raise DataError(
            f"{table.info.task}: {error}. Write fewer folds, or a protocol with group_folds: false."
        ) from error


def too_few_documents(table: TaskTable, protocol: ProbeProtocol) -> str | None:
    """Why documents cannot be kept together in every repetition, and what follows; None where they can."""
    try:
        list(plan_folds(table.labels, protocol, groups=_documents(table)))
    except UngroupableError as error:
        return f"too few documents: {error}. Nothing is said of new documents."
    return None


def check_documents(table: TaskTable, *, repetitions: int, folds: int, seed: int, needed: bool) -> str | None:
    """Plan the folds that keep the documents of a task together, to tell early where there are none.

    `needed`: whether the experiment names a protocol that needs such folds. Returns: see `too_few_documents`. Raises
    DataError: there are none, and they are needed.
    """
    switches = Switches(group_folds=True)
    protocol = ProbeProtocol(repetitions=repetitions, folds=folds, seed=seed, switches=switches)
    if not needed:
        return too_few_documents(table, protocol)
    list(task_plans(table, protocol))
    return None


def _documents(table: TaskTable) -> np.ndarray:
    """(n,) int64: the document of each row, see `plan_folds`; a row without one is its own."""
    if all(name is None for name in table.groups):
        logger.warning("%s: no row has a document, so folds are drawn row by row", table.info.task)
    return resampling_units(table.labels, table.groups).of_row
