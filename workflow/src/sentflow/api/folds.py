"""Folds trained side by side in processes of their own.

Fresh processes, not forks: a fork of a process in which torch has started threads may wait forever for one of them
(pytorch/pytorch#17199). They are started without the caller's script, which therefore needs no
``if __name__ == "__main__":``, and are given rows and features, so that the caller's model and class stay at home.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config

from sentflow.errors import SentflowError
from sentflow.probing.draws import FoldPlan
from sentflow.probing.fold import FoldResult, ProbeDesign
from sentflow.probing.training import FeatureSource, FixedFeatures, MadeParts, train_planned


def trained_folds(
    source: FeatureSource,
    labels: np.ndarray,
    plans: Iterable[FoldPlan],
    design: ProbeDesign,
    *,
    n_processes: int,
) -> Iterator[FoldResult]:
    """Every fold as soon as it is done: the same results in any number of processes, not always in order."""
    n_processes = min(n_processes, design.protocol.repetitions * design.protocol.folds)
    if n_processes <= 1:
        yield from train_planned(source, labels, plans, design)
        return
    try:
        if isinstance(source, FixedFeatures):
            jobs = (delayed(_train_one)(source, labels, plan, design) for plan in plans)
            yield from _processes(n_processes, shared=True)(jobs)
            return
        # As many folds at a time as there are processes, so that no more features than theirs are in memory
        pool, plans = _processes(n_processes, shared=False), iter(plans)
        while some := list(islice(plans, n_processes)):
            # A list: the caller's embed runs here and now, not in a thread of the pool
            made = [MadeParts(source.parts(plan)) for plan in some]
            yield from pool(
                delayed(_train_one)(parts, labels, plan, design)
                for parts, plan in zip(made, some, strict=True)
            )
    except BrokenProcessPool as error:
        raise SentflowError(
            f"one of {n_processes} training processes was killed, most likely because memory ran out. Write "
            "kwargs_train={'n_processes': 1}, or a smaller number."
        ) from error


def _train_one(source: FeatureSource, labels: np.ndarray, plan: FoldPlan, design: ProbeDesign) -> FoldResult:
    [result] = train_planned(source, labels, [plan], design)
    return result


def _processes(n_processes: int, *, shared: bool) -> Any:
    """Processes that are kept for the next task; `shared` maps large arrays into all of them from one file."""
    with parallel_config(backend="loky", inner_max_num_threads=1):
        return Parallel(
            n_jobs=n_processes, return_as="generator_unordered", max_nbytes="1M" if shared else None
        )
