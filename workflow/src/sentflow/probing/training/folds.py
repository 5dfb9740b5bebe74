"""The folds of a task: planned, and trained on a processor or on an accelerator."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from sentflow.probing.features.sources import FeatureSource
from sentflow.probing.kernels.threads import one_thread
from sentflow.probing.protocol.design import ACCELERATOR, REGULARISED_PROBES, ProbeDesign
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
    """Train folds in their order.

    On a processor each fold is computed by itself, and so is any of regularised probes: its result does not depend on
    which others are asked for. On other devices folds of fixed features are trained side by side: what is asked for
    beside a fold may move its last bits.

    Parameters
    ----------
    source
        Gives the features of a fold.
    labels
        (n,) int64 class indices of all rows.
    plans
        Rows and seeds of the folds.
    design
        Of the probe.
    """
    accelerated = design.device != "cpu" and not design.regularised
    with one_thread(torch=accelerated):
        if accelerated:
            yield from _accelerator().train(source, labels, plans, design)
            return
        train = import_module(REGULARISED_PROBES).train_fold if design.regularised else train_fold
        for plan in plans:
            yield train(plan, source.parts(plan), labels, design)


def usable(design: ProbeDesign) -> ProbeDesign:
    """A design with its device as torch names it; checked before anything expensive.

    Raises
    ------
    ConfigError
        There is no such device; says what to write instead.
    """
    return design.on(usable_device(design.device))


def usable_device(device: str) -> str:
    """See `sentflow.probing.accelerator.devices.usable_device`; the processor needs no torch."""
    return device if device == "cpu" else str(_accelerator().usable_device(device))


def _accelerator() -> Any:
    return import_module(ACCELERATOR)
