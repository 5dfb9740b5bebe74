"""All folds of a job on an accelerator: trained side by side, as many as its memory holds.

Twelve settings of one fold, 128 rows each, keep a GPU waiting for the next kernel; F folds do F times the work with the
same kernels. Every fold gets its own draws, schedule, stopping epoch and setting, as if it were trained alone.
"""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import torch

from sentflow.errors import SentflowError
from sentflow.probing.accelerator.devices import folds_at_once, usable_bytes, usable_device
from sentflow.probing.accelerator.group import Group
from sentflow.probing.accelerator.resident import ResidentFeatures
from sentflow.probing.features.sources import FeatureSource, FixedFeatures, in_one
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.probing.training.fold import Fold
from sentflow.probing.training.result import FoldResult

__all__ = ["Together", "train", "usable_device"]

logger = logging.getLogger(__name__)


def train(
    source: FeatureSource, labels: np.ndarray, plans: Iterable[FoldPlan], design: ProbeDesign
) -> Iterator[FoldResult]:
    """See `train_planned`; folds whose features are made for them alone are trained one after the other."""
    together = Together(design)
    if isinstance(source, FixedFeatures):
        yield from together.train(source.features, labels, plans)
        return
    for plan in plans:
        features = in_one(source.parts(plan))
        rows = [plan.train, plan.evaluation, plan.test]
        places = np.split(np.arange(len(features)), np.cumsum([len(part) for part in rows])[:-1])
        own = replace(plan, train=places[0], evaluation=places[1], test=places[2])
        [result] = together.train(features, labels[np.concatenate(rows)], [own])
        yield replace(result, test_rows=plan.test)


@dataclass(frozen=True)
class Together:
    """Training of folds that share their features.

    Attributes
    ----------
    design
        Of the probes, with the device.
    memory_bytes
        What features and folds may take on the device; None: seven tenths of what a CUDA device has free, 2 GiB on
        others.
    """

    design: ProbeDesign
    memory_bytes: int | None = None

    def train(
        self, features: np.ndarray, labels: np.ndarray, plans: Iterable[FoldPlan]
    ) -> Iterator[FoldResult]:
        """The results of the folds in their order, one group after the other.

        Parameters
        ----------
        features
            (n, D) float32 of all rows.
        labels
            (n,) int64.
        plans
            Rows and seeds of the folds.

        Raises
        ------
        SentflowError
            The device's memory does not hold the features and one fold.
        """
        budget = usable_bytes(self.design.device) if self.memory_bytes is None else self.memory_bytes
        resident = self._resident(features, labels)
        budget -= resident.features.nbytes
        plans = iter(plans)
        first = next(plans, None)
        if first is None:
            return
        at_once = folds_at_once(first, features.shape[1], self.design, budget)
        logger.info("%d folds side by side on %s", at_once, self.design.device)
        some = [first, *islice(plans, at_once - 1)]
        while some:
            results, at_once = self._results(resident, labels, some, at_once)
            yield from results
            some = list(islice(plans, at_once))

    def _resident(self, features: np.ndarray, labels: np.ndarray) -> ResidentFeatures:
        try:
            return ResidentFeatures(
                features,
                labels,
                ones=self.design.hidden is None,
                unscaled_constant=self.design.protocol.switches.const_features == "unscaled",
                device=self.design.device,
            )
        except torch.OutOfMemoryError as error:
            raise self._too_large(*features.shape) from error

    def _results(
        self, resident: ResidentFeatures, labels: np.ndarray, plans: list[FoldPlan], at_once: int
    ) -> tuple[list[FoldResult], int]:
        """In the order of the plans, and how many folds to train at once from now on."""
        try:
            return self._group(resident, labels, plans), at_once
        except torch.OutOfMemoryError as error:
            if len(plans) == 1:
                raise self._too_large(*resident.features.shape) from error
        # Here, where the error is gone and with it what the failed training still held
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        half = (len(plans) + 1) // 2
        logger.warning(
            "%d folds do not fit into the memory of %s: their number is halved",
            len(plans),
            self.design.device,
        )
        first, at_once = self._results(resident, labels, plans[:half], half)
        second, at_once = self._results(resident, labels, plans[half:], at_once)
        return first + second, at_once

    def _too_large(self, n_rows: int, width: int) -> SentflowError:
        return SentflowError(
            f"the memory of {self.design.device} is too small for {n_rows} rows × {width} features and "
            "the training of "
            "one fold. Write device cpu, or use a device with more memory."
        )

    def _group(
        self, resident: ResidentFeatures, labels: np.ndarray, plans: list[FoldPlan]
    ) -> list[FoldResult]:
        folds = [Fold(plan, labels, self.design) for plan in plans]
        # Parts smaller than a batch are one batch each (`ProbeProtocol.fits_batch`): they need stacks of their own.
        results = {}
        for batch_size in {fold.batch_size for fold in folds}:
            alike = [fold for fold in folds if fold.batch_size == batch_size]
            alike.sort(key=lambda fold: -fold.n_batches)
            for result in Group(resident, alike).train():
                results[result.repetition, result.fold] = result
        return [results[plan.repetition, plan.fold] for plan in plans]
