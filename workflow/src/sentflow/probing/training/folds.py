"""The folds of a task: planned and trained."""

from collections.abc import Iterable, Iterator
from importlib import import_module

import numpy as np
from threadpoolctl import threadpool_limits

from sentflow.probing.features.sources import FeatureSource
from sentflow.probing.protocol.design import REGULARISED_PROBES, ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan, plan_folds
from sentflow.probing.training.processor import train_fold
from sentflow.probing.training.result import FoldResult


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
