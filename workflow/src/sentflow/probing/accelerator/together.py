"""All folds of a job on an accelerator: trained side by side, as many as its memory holds.

Twelve settings of one fold, 128 rows each, keep a GPU waiting for the next kernel; F folds do F times the work with the
same kernels. Every fold gets its own draws, schedule, stopping epoch and setting, as if it were trained alone.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import torch

from sentflow.errors import SentflowError
from sentflow.probing.accelerator.devices import folds_at_once, usable_bytes, usable_device
from sentflow.probing.accelerator.fold_stack import FoldStackTraining
from sentflow.probing.accelerator.resident import ResidentFeatures, Scaling
from sentflow.probing.features.sources import FeatureSource, FixedFeatures, in_one
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.probing.protocol.settings import Setting
from sentflow.probing.training.final import FinalRun
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
        logger.warning("%d folds do not fit into the memory of %s: halved", len(plans), self.design.device)
        first, at_once = self._results(resident, labels, plans[:half], half)
        second, at_once = self._results(resident, labels, plans[half:], at_once)
        return first + second, at_once

    def _too_large(self, n_rows: int, width: int) -> SentflowError:
        return SentflowError(
            f"the memory of {self.design.device} does not hold {n_rows} rows × {width} features and the training of "
            "one fold. Write device cpu, or take a device with more memory."
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
            for result in _Group(resident, alike).train():
                results[result.repetition, result.fold] = result
        return [results[plan.repetition, plan.fold] for plan in plans]


class _Group:
    """Folds with the same batch size, those with most batches first."""

    def __init__(self, resident: ResidentFeatures, folds: list[Fold]) -> None:
        self._resident, self._folds, self._protocol = resident, folds, folds[0].protocol
        self._scaling = resident.scaling([fold.plan.train for fold in folds])
        self._evaluation = resident.part([fold.plan.evaluation for fold in folds], self._scaling)

    def train(self) -> list[FoldResult]:
        """Choose a setting per fold on its evaluation part, train with it, test once."""
        settings = self._search()
        return self._train_finally(settings)

    def _search(self) -> list[Setting]:
        protocol, folds = self._protocol, self._folds
        orders = [_rows_of_task(fold, fold.draw_search()) for fold in folds]
        training = self._training([protocol.grid] * len(folds), epochs=protocol.search_epochs)
        for epoch in range(protocol.search_epochs):
            training.epoch([order[:, epoch] for order in orders])
        logits = training.logits(self._evaluation, [len(fold.evaluation_labels) for fold in folds])
        return [
            fold.best_setting(fold.metrics(own, fold.evaluation_labels))
            for fold, own in zip(folds, logits, strict=True)
        ]

    def _train_finally(self, settings: list[Setting]) -> list[FoldResult]:
        """Folds leave the stack when they stop."""
        epochs = self._protocol.max_epochs
        training = self._training([[setting] for setting in settings], epochs=epochs)
        runs = [_Run(fold, setting) for fold, setting in zip(self._folds, settings, strict=True)]
        results: list[FoldResult] = []
        evaluation, scaling = self._evaluation, self._scaling
        for epoch in range(1, epochs + 1):
            training.epoch([_rows_of_task(run.fold, run.fold.draw_epochs(1)) for run in runs])
            for run, losses in zip(runs, training.losses(), strict=True):
                run.train_losses.append(float(losses[0].mean()))
            logits = training.logits(evaluation, [len(run.fold.evaluation_labels) for run in runs])
            stops = [run.after(own[0]) or epoch == epochs for run, own in zip(runs, logits, strict=True)]
            self._test(training, scaling, runs, stops)
            results += [
                run.tested(self._resident.dimension) for run, end in zip(runs, stops, strict=True) if end
            ]
            kept = [k for k, end in enumerate(stops) if not end]
            if not kept:
                break
            if len(kept) < len(runs):
                runs = [runs[k] for k in kept]
                training.keep(kept)
                places = torch.tensor(kept, device=self._resident.device)
                evaluation, scaling = evaluation[places], scaling.of(places)
        return results

    def _test(
        self, training: FoldStackTraining, scaling: Scaling, runs: "list[_Run]", stops: list[bool]
    ) -> None:
        """Logits of the test part where the weights are the best so far, or the last ones and none were the best."""
        wanted = [k for k, run in enumerate(runs) if run.is_best or (stops[k] and run.best_logits is None)]
        if not wanted:
            return
        places = torch.tensor(wanted, device=self._resident.device)
        part = self._resident.part([runs[k].fold.plan.test for k in wanted], scaling.of(places))
        logits = training.logits(part, [len(runs[k].fold.test_labels) for k in wanted], folds=wanted)
        for k, own in zip(wanted, logits, strict=True):
            runs[k].best_logits = own[0].copy()

    def _training(self, settings: Sequence[Sequence[Setting]], *, epochs: int) -> FoldStackTraining:
        return FoldStackTraining(self._resident, self._scaling, self._folds, settings, epochs=epochs)


class _Run(FinalRun):
    """A final training beside others."""

    def __init__(self, fold: Fold, setting: Setting) -> None:
        super().__init__(fold, setting)
        self.train_losses: list[float] = []

    def tested(self, dimension: int) -> FoldResult:
        """The result, once there are logits of the test part."""
        assert self.best_logits is not None
        return self.result(self.best_logits, train_losses=self.train_losses, dimension=dimension)


def _rows_of_task(fold: Fold, places: np.ndarray) -> np.ndarray:
    """Places in the training part as int32 row numbers of the task."""
    rows: np.ndarray = fold.plan.train.astype(np.int32)[places]
    return rows
