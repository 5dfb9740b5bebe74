"""Folds trained side by side in processes of their own.

Fresh processes, not forks: a fork of a process in which torch has started threads may wait forever for one of them
(pytorch/pytorch#17199). They are started without the caller's script, which therefore needs no
``if __name__ == "__main__":``, and are given rows and features, so that the caller's model and class stay at home.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed, parallel_config

from sentflow.errors import SentflowError
from sentflow.probing.cross_validation import FeatureSource, FixedFeatures, one_thread, train_folds
from sentflow.probing.protocol.draws import FoldPlan, plan_folds
from sentflow.probing.protocol.settings import ProbeProtocol
from sentflow.probing.training.fold import FoldResult, train_fold

if TYPE_CHECKING:
    from sentflow.probing.features.rows import FeaturePart


@dataclass(frozen=True)
class Probe:
    """What is trained in every fold.

    Attributes
    ----------
    metric
        ``"mcc"`` or ``"adjusted_macro_f1"``.
    n_classes
        Classes of the task.
    hidden
        Units of the hidden layer; None for a logistic probe.
    protocol
        Grid, epochs, early stopping.
    device
        Of torch.
    """

    metric: str
    n_classes: int
    hidden: int | None
    protocol: ProbeProtocol
    device: str

    def train(self, plan: FoldPlan, parts: "Sequence[FeaturePart]", labels: np.ndarray) -> FoldResult:
        """Train one fold with one thread."""
        with one_thread(torch=self.hidden is not None or self.device != "cpu"):
            return train_fold(plan, parts, labels, **vars(self))

    def train_rows(self, plan: FoldPlan, features: np.ndarray, labels: np.ndarray) -> FoldResult:
        """Train one fold of features that do not depend on it."""
        return self.train(plan, FixedFeatures(features).parts(plan), labels)


def trained_folds(
    source: FeatureSource,
    labels: np.ndarray,
    probe: Probe,
    *,
    n_processes: int,
    groups: np.ndarray | None = None,
) -> Iterator[FoldResult]:
    """Every fold as soon as it is done: the same results in any number of processes, not always in order.

    Parameters
    ----------
    source
        Features of a fold; asked in this process.
    labels
        (n,) int64 class indices.
    probe
        See `Probe`.
    n_processes
        At most one per fold is started; 1 is this process.
    groups
        See `plan_folds`.

    Raises
    ------
    SentflowError
        A process was killed.
    """
    n_processes = min(n_processes, probe.protocol.repetitions * probe.protocol.folds)
    if n_processes <= 1:
        yield from train_folds(source, labels, **vars(probe), groups=groups)
        return
    plans = plan_folds(labels, probe.protocol, groups=groups)
    try:
        if isinstance(source, FixedFeatures):
            jobs = (delayed(probe.train_rows)(plan, source.features, labels) for plan in plans)
            yield from _processes(n_processes, shared=True)(jobs)
        else:
            yield from _fold_by_fold(source, plans, labels, probe, n_processes)
    except BrokenProcessPool as error:
        raise SentflowError(
            f"one of {n_processes} training processes was killed, most likely because memory ran out. Write "
            "kwargs_train={'n_processes': 1}, or a smaller number."
        ) from error


def _fold_by_fold(
    source: FeatureSource, plans: Iterable[FoldPlan], labels: np.ndarray, probe: Probe, n_processes: int
) -> Iterator[FoldResult]:
    """As many folds at a time as there are processes, so that no more features than theirs are in memory."""
    pool = _processes(n_processes, shared=False)
    plans = iter(plans)
    while some := list(islice(plans, n_processes)):
        # A list: the caller's embed runs here and now, not in a thread of the pool
        jobs = [delayed(probe.train)(plan, source.parts(plan), labels) for plan in some]
        yield from pool(jobs)


def _processes(n_processes: int, *, shared: bool) -> Any:
    """Processes that are kept for the next task; `shared` maps large arrays into all of them from one file."""
    with parallel_config(backend="loky", inner_max_num_threads=1):
        return Parallel(
            n_jobs=n_processes, return_as="generator_unordered", max_nbytes="1M" if shared else None
        )
