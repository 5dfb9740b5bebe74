"""Folds of one size on an accelerator: their searches side by side, then their final trainings."""

from collections.abc import Sequence

import numpy as np
import torch

from sentflow.probing.accelerator.fold_stack import FoldStackTraining
from sentflow.probing.accelerator.resident import ResidentFeatures, Scaling
from sentflow.probing.settings import Setting
from sentflow.probing.training.final import FinalRun
from sentflow.probing.training.fold import Fold
from sentflow.probing.training.result import FoldResult


class Group:
    """Folds of the same batch size, those with most batches first.

    Parameters
    ----------
    resident
        The task's features and labels.
    folds
        With the same design.
    """

    def __init__(self, resident: ResidentFeatures, folds: list[Fold]) -> None:
        self._resident, self._folds, self._protocol = resident, folds, folds[0].protocol
        self._scaling = resident.scaling([fold.plan.train for fold in folds])
        self._evaluation = resident.part([fold.plan.evaluation for fold in folds], self._scaling)

    def train(self) -> list[FoldResult]:
        """Choose a setting per fold on its evaluation part, train with it, test once."""
        return self._train_finally(self._search())

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
