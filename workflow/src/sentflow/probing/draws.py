"""Every random draw of the published protocol, in its order.

Source: ulysses-camara/ulysses-senteval@f2a12c2. The draws depend on the labels and the seed alone, never on
the embeddings, so that encoders are compared fold by fold on the same rows.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold

from sentflow.probing.protocol import ProbeProtocol

MAX_SEED = 2**32 - 1  # exclusive upper bound of every seed the published evaluator draws


@dataclass(frozen=True)
class FoldPlan:
    """Which rows a fold trains on, selects on and tests on, and its two seeds.

    Attributes
    ----------
    repetition, fold
        1-based.
    train, evaluation, test
        int64 row numbers of the task table, in the order in which the evaluator sees them.
    seed_init, seed_loader
        Of the initial weights, and of the order of batches.
    """

    repetition: int
    fold: int
    train: np.ndarray
    evaluation: np.ndarray
    test: np.ndarray
    seed_init: int
    seed_loader: int


def plan_folds(
    labels: np.ndarray, protocol: ProbeProtocol, *, wanted: set[tuple[int, int]] | None = None
) -> Iterator[FoldPlan]:
    """The folds of a task in their order.

    Parameters
    ----------
    labels
        (n,) int64 class indices.
    protocol
        Gives repetitions, folds, seed and the evaluation share.
    wanted
        (repetition, fold) pairs to give; all without it. A plan does not depend on which others are wanted.

    Yields
    ------
    FoldPlan
        Train, evaluation and test rows of one fold are disjoint; the test rows of a repetition's folds
        partition the balanced rows.
    """
    seeds = np.random.RandomState(protocol.seed).randint(0, MAX_SEED, size=protocol.repetitions)
    for repetition, seed in enumerate(seeds, start=1):
        if wanted is None or any(asked == repetition for asked, _ in wanted):
            for plan in _plan_repetition(labels, protocol, repetition=repetition, seed=int(seed)):
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


def _plan_repetition(
    labels: np.ndarray, protocol: ProbeProtocol, *, repetition: int, seed: int
) -> Iterator[FoldPlan]:
    generator = np.random.RandomState(seed)
    seed_undersampling, seed_folds = generator.randint(0, MAX_SEED, size=2)
    seeds_init, seeds_loader = generator.randint(0, MAX_SEED, size=(2, protocol.folds))
    generator.random()  # the published progress bar draws a delay; without it every later draw shifts

    rows = undersample(labels, seed=int(seed_undersampling))
    splitter = StratifiedKFold(protocol.folds, shuffle=True, random_state=int(seed_folds))
    for fold, (rest, test) in enumerate(splitter.split(rows, labels[rows]), start=1):
        # The generator goes on from fold to fold, so a fold cannot be planned without those before it.
        generator.shuffle(rest)
        n_evaluation = math.ceil(protocol.evaluation_share * len(rest))
        yield FoldPlan(
            repetition=repetition,
            fold=fold,
            train=rows[rest[n_evaluation:]],
            evaluation=rows[rest[:n_evaluation]],
            test=rows[test],
            seed_init=int(seeds_init[fold - 1]),
            seed_loader=int(seeds_loader[fold - 1]),
        )


class EpochOrders:
    """The orders in which a torch ``DataLoader`` visits the rows, epoch by epoch, as torch 2.13 draws them.

    Parameters
    ----------
    seed
        Of the one generator that all trainings of a fold share, in their order.
    n_rows
        Rows of the training part.
    """

    def __init__(self, *, seed: int, n_rows: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)
        self._n_rows = n_rows
        # Before each epoch the loader draws a base seed of 64 bits for worker processes, and after it its sampler
        # draws one more permutation, of n − 1 times 32 bits, that nobody uses: both shift every later order.
        self._base_seed = torch.empty(2, dtype=torch.int32)
        self._unused = torch.empty(n_rows - 1, dtype=torch.int32)

    def next(self, epochs: int) -> torch.Tensor:
        """(epochs, n_rows) int64: the orders of the next epochs."""
        orders = torch.empty(epochs, self._n_rows, dtype=torch.int64)
        for order in orders:
            self._base_seed.random_(generator=self._generator)
            torch.randperm(self._n_rows, generator=self._generator, out=order)
            self._unused.random_(generator=self._generator)
        return orders
