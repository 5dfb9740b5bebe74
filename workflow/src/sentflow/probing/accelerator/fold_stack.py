"""Training of several folds of a task side by side: one set of kernels per step, for F folds × S settings."""

from collections.abc import Sequence

import numpy as np
import torch

from sentflow.probing.accelerator.adamw import TensorAdamW
from sentflow.probing.accelerator.resident import ResidentFeatures, Scaling, TrainingRows
from sentflow.probing.accelerator.stacks import LogisticStack, MlpStack, ProbeStack
from sentflow.probing.kernels.schedule import Schedule
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.settings import Setting
from sentflow.probing.training.fold import Fold


class FoldStackTraining:
    """S probes of each of F folds, all with one batch each at a time.

    Folds may have different numbers of batches: those with most come first, so that the folds that still have a batch
    in a step are the first ones, and no others are touched.

    Parameters
    ----------
    resident
        The task's features and labels.
    scaling
        Of the F folds.
    folds
        With the same batch size, in falling order of their batches.
    settings
        S of each fold.
    epochs
        How many will be trained at most.
    """

    def __init__(
        self,
        resident: ResidentFeatures,
        scaling: Scaling,
        folds: Sequence[Fold],
        settings: Sequence[Sequence[Setting]],
        *,
        epochs: int,
    ) -> None:
        self._resident, self._size = resident, len(settings[0])
        self._n_batches = np.array([fold.n_batches for fold in folds])
        self._steps_per_epoch = int(self._n_batches[0])
        initial = torch.from_numpy(np.stack([fold.initial(resident.dimension) for fold in folds]))
        self._stack = _new_stack(
            TrainingRows(resident.features, resident.labels, scaling, size=self._size),
            initial.to(resident.device),
            folds[0].design,
        )
        schedule = stacked_schedule(
            [fold.schedule(some, epochs=epochs) for fold, some in zip(folds, settings, strict=True)],
            self._n_batches,
        )
        self._optimiser = TensorAdamW(self._stack.parameters, self._stack.gradient, schedule)
        self._losses: list[torch.Tensor] = []

    def epoch(self, rows: Sequence[np.ndarray]) -> None:
        """Train on every batch of F arrays (S, batches, B) of row numbers of the task."""
        size = self._size
        n_steps, batch_size = rows[0].shape[1:]
        table = np.zeros((n_steps, size * len(rows), batch_size), rows[0].dtype)
        for fold, own in enumerate(rows):
            table[: own.shape[1], fold * size : (fold + 1) * size] = own.swapaxes(0, 1)
        batches = self._resident.on_device(table)
        self._losses = []
        for step in range(self._steps_per_epoch):
            n_probes = size * int((self._n_batches > step).sum())
            if n_probes == 0:
                self._optimiser.skip()
                continue
            self._losses.append(self._stack.compute_gradient(batches[step, :n_probes]))
            self._optimiser.step(n_probes)

    def losses(self) -> list[np.ndarray]:
        """Per fold (S, batches) float64 mean losses of the last epoch's batches, each before its step."""
        every = torch.cat(self._losses).cpu().numpy()
        by_step = np.split(every, np.cumsum([len(losses) for losses in self._losses])[:-1])
        return [
            np.stack([step[fold * self._size : (fold + 1) * self._size] for step in by_step[:n]], axis=1)
            for fold, n in enumerate(self._n_batches)
        ]

    def logits(
        self, features: torch.Tensor, sizes: Sequence[int], *, folds: Sequence[int] | None = None
    ) -> list[np.ndarray]:
        """Per fold (S, m, outputs) logits.

        Parameters
        ----------
        features
            (F, m, D) from `ResidentFeatures.part`.
        sizes
            Rows of each fold's part.
        folds
            Numbers of the folds that the features are of; all without it.
        """
        wanted = None if folds is None else self._numbers(folds)
        logits = self._stack.logits(features, folds=wanted).cpu().numpy()
        by_fold = logits.reshape(-1, self._size, *logits.shape[1:])
        return [own[:, :size] for own, size in zip(by_fold, sizes, strict=True)]

    def keep(self, folds: Sequence[int]) -> None:
        """Go on with some folds, given their numbers in rising order."""
        self._n_batches = self._n_batches[list(folds)]
        self._stack.keep(self._numbers(folds))
        probes = self._numbers([fold * self._size + k for fold in folds for k in range(self._size)])
        self._optimiser.keep(probes, self._stack.parameters, self._stack.gradient)

    def _numbers(self, values: Sequence[int]) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.int64, device=self._resident.device)


def _new_stack(rows: TrainingRows, initial: torch.Tensor, design: ProbeDesign) -> ProbeStack:
    if design.hidden is None:
        return LogisticStack(rows, initial, n_outputs=design.n_outputs)
    return MlpStack(rows, initial, hidden=design.hidden, n_outputs=design.n_outputs)


def stacked_schedule(schedules: Sequence[Schedule], n_batches: Sequence[int] | np.ndarray) -> Schedule:
    """The schedule of several folds side by side.

    Parameters
    ----------
    schedules
        (steps, S, 1) of each fold, for the same number of epochs.
    n_batches
        Of each fold, the most first: step t of an epoch is the t-th of every fold that has so many. Ones fill the
        steps that a fold does not take.
    """
    most = int(n_batches[0])

    def stacked(values: Sequence[np.ndarray]) -> np.ndarray:
        padded = []
        for own, n in zip(values, n_batches, strict=True):
            epochs = own.reshape(-1, n, *own.shape[1:])
            filled = np.pad(epochs, ((0, 0), (0, most - n), (0, 0), (0, 0)), constant_values=1)
            padded.append(filled.reshape(-1, *own.shape[1:]))
        return np.concatenate(padded, axis=1)

    return Schedule(
        beta1=np.concatenate([schedule.beta1 for schedule in schedules]),
        beta2=np.concatenate([schedule.beta2 for schedule in schedules]),
        keep=stacked([schedule.keep for schedule in schedules]),
        decay=np.empty((0, 0, 1)),  # of joined columns, of which folds side by side have none
        minus_rate=stacked([schedule.minus_rate for schedule in schedules]),
        root_correction=stacked([schedule.root_correction for schedule in schedules]),
        max_norm=schedules[0].max_norm,
        epsilon=schedules[0].epsilon,
    )
