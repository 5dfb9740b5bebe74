"""Training one fold: the search over settings, then the final training with early stopping."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sentflow.probing.columns import Problem, joined
from sentflow.probing.draws import FoldPlan
from sentflow.probing.initial import logistic_parameters, mlp_parameters
from sentflow.probing.logistic import LogisticTraining
from sentflow.probing.losses import class_scores, mean_losses, predicted_classes
from sentflow.probing.metrics import published_metric
from sentflow.probing.protocol import ProbeProtocol, Setting
from sentflow.probing.schedule import adamw_schedule
from sentflow.probing.selected_rows import SelectedRows
from sentflow.probing.standardise import standardised
from sentflow.probing.torch_draws import EpochOrders

if TYPE_CHECKING:
    from sentflow.probing.columns import Features
    from sentflow.probing.features import FeaturePart

logger = logging.getLogger(__name__)

KERNELS = ("numpy", "numba")  # the second needs envs/requirements-fused.txt


class Training(Protocol):
    """S probes that are trained side by side."""

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (S, batches, B) int64 row numbers."""

    def losses(self) -> np.ndarray:
        """(S, epochs, batches) float64 mean losses of all batches so far, each before its step."""

    def logits(self, features: Any, offset: np.ndarray | None = None) -> np.ndarray:
        """(S, m, outputs) for (m, D) features, dense or sparse as those of training.

        The decayed `offset` (m, units) of the first layer is added.
        """


@dataclass(frozen=True)
class FoldResult:
    """What one fold gave.

    Attributes
    ----------
    repetition, fold
        1-based.
    setting
        The chosen point of the grid.
    train_losses, evaluation_losses, evaluation_metrics
        One value per epoch of the final training.
    test_loss, test_metric
        Of the weights of the last epoch, or of the one with the lowest evaluation loss (`Switches.best_checkpoint`).
    test_rows, truth, predicted, scores
        (m,) of the test part: row numbers, true and predicted classes, probabilities (`class_scores`).
    n_train, n_evaluation
        Rows of the other two parts.
    dimension
        Width of the features.
    """

    repetition: int
    fold: int
    setting: Setting
    train_losses: list[float]
    evaluation_losses: list[float]
    evaluation_metrics: list[float]
    test_loss: float
    test_metric: float
    test_rows: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray
    n_train: int
    n_evaluation: int
    dimension: int


def train_fold(
    plan: FoldPlan,
    parts: "Sequence[FeaturePart]",
    labels: np.ndarray,
    *,
    metric: str,
    n_classes: int,
    hidden: int | None,
    protocol: ProbeProtocol,
    device: str = "cpu",
    kernel: str = "numpy",
) -> FoldResult:
    """Choose a setting on the evaluation part, train with it, test once.

    Parameters
    ----------
    plan
        Rows and seeds of the fold.
    parts
        Features (n, D) float32 of the training, evaluation and test rows, all dense or all sparse.
    labels
        (n,) int64 of all rows of the task.
    metric
        See `published_metric`.
    n_classes
        Classes of the task.
    hidden
        Units of the hidden layer; None for a logistic probe.
    protocol
        Grid, epochs, early stopping.
    device
        Of torch; logistic probes on ``"cpu"`` do without it.
    kernel
        One of `KERNELS`: what trains logistic probes on dense features on a processor; others take no notice.
    """
    fold = _FoldTraining(
        plan,
        parts,
        labels,
        metric=metric,
        n_classes=n_classes,
        hidden=hidden,
        protocol=protocol,
        device=device,
        kernel=kernel,
    )
    setting = fold.search()
    return fold.train_finally(setting)


class _FoldTraining:
    def __init__(
        self,
        plan: FoldPlan,
        parts: "Sequence[FeaturePart]",
        labels: np.ndarray,
        *,
        metric: str,
        n_classes: int,
        hidden: int | None,
        protocol: ProbeProtocol,
        device: str,
        kernel: str,
    ) -> None:
        self._plan, self._protocol, self._device, self._kernel = plan, protocol, device, kernel
        self._metric, self._n_classes, self._hidden = metric, n_classes, hidden
        self._labels = [labels[rows] for rows in (plan.train, plan.evaluation, plan.test)]
        self._batch_size = protocol.fits_batch(len(plan.train))
        self._n_batches = len(plan.train) // self._batch_size
        self._orders = EpochOrders(seed=plan.seed_loader, n_rows=len(plan.train))
        self._n_outputs = 1 if n_classes == 2 else n_classes
        self._dimension = parts[0].shape[1]
        # Accelerators multiply dense matrices of this size faster than sparse ones.
        self._sparse = device == "cpu" and not isinstance(parts[0], np.ndarray | SelectedRows)
        self._problem = self._joined_problem(parts)
        self._evaluation, self._test = self._problem.others

    def search(self) -> Setting:
        """The setting with the best evaluation metric after a short training; the first best wins."""
        epochs, grid = self._protocol.search_epochs, self._protocol.grid
        orders = self._draw_epochs(len(grid) * epochs)
        orders = orders.reshape(len(grid), epochs, *orders.shape[1:])
        size = self._stack_size()
        metrics: list[float] = []
        for part in (slice(start, start + size) for start in range(0, len(grid), size)):
            training = self._new_training(grid[part], epochs=epochs)
            for epoch in range(epochs):
                training.epoch(orders[part, epoch])
            logits = training.logits(*self._evaluation)
            metrics += self._part_metrics(logits, self._labels[1])
        return grid[int(np.argmax(metrics))]  # argmax gives the first of equals

    def train_finally(self, setting: Setting) -> FoldResult:
        """Train one probe until the evaluation loss stops falling, then test the last weights, or the best."""
        training = self._new_training([setting], epochs=self._protocol.max_epochs)
        stopping = _EarlyStopping(self._protocol)
        evaluation_losses: list[float] = []
        evaluation_logits = []
        keeps_best, lowest = self._protocol.switches.best_checkpoint, math.inf
        best_logits: np.ndarray | None = None
        for _ in range(self._protocol.max_epochs):
            training.epoch(self._draw_epochs(1))
            logits = training.logits(*self._evaluation)
            evaluation_losses.append(_part_loss(logits, self._labels[1]))
            if keeps_best and evaluation_losses[-1] < lowest:
                lowest, best_logits = evaluation_losses[-1], training.logits(*self._test)
            evaluation_logits.append(logits[0])
            if stopping.after(evaluation_losses[-1]):
                break
        labels = self._labels[2]
        logits = training.logits(*self._test) if best_logits is None else best_logits
        predicted = self._classes(logits[0])
        [test_metric] = self._part_metrics(logits, labels)
        logger.info(
            "repetition %d fold %d: %s, %d epochs, test %s %.4f",
            self._plan.repetition,
            self._plan.fold,
            setting,
            len(evaluation_losses),
            self._metric,
            test_metric,
        )
        return FoldResult(
            repetition=self._plan.repetition,
            fold=self._plan.fold,
            setting=setting,
            train_losses=training.losses()[0].mean(axis=1).tolist(),
            evaluation_losses=evaluation_losses,
            evaluation_metrics=self._part_metrics(np.stack(evaluation_logits), self._labels[1]),
            test_loss=_part_loss(logits, labels),
            test_metric=test_metric,
            test_rows=self._plan.test,
            truth=labels,
            predicted=predicted,
            scores=class_scores(logits[0], predicted),
            n_train=len(self._plan.train),
            n_evaluation=len(self._plan.evaluation),
            dimension=self._dimension,
        )

    def _stack_size(self) -> int:
        """How many settings train side by side; on a processor MLPs are bound by matrix products and gain nothing."""
        return 1 if self._hidden is not None and self._device == "cpu" else len(self._protocol.grid)

    def _draw_epochs(self, epochs: int) -> np.ndarray:
        """(epochs, batches, B) row numbers: the loader's next epochs, without incomplete batches."""
        n = self._n_batches * self._batch_size
        return self._orders.next(epochs)[:, :n].reshape(epochs, self._n_batches, -1)

    def _joined_problem(self, parts: "Sequence[FeaturePart]") -> Problem[Any]:
        hidden, width, seed = self._hidden, self._dimension, self._plan.seed_init
        train, *others = self._standardised(parts)
        if hidden is None:
            initial = logistic_parameters(width, self._n_outputs, seed=seed)
        else:
            initial = mlp_parameters(width, self._n_outputs, hidden=hidden, seed=seed)
        return joined(train, others, initial, first_width=self._n_outputs if hidden is None else hidden)

    def _standardised(self, parts: "Sequence[FeaturePart]") -> "Sequence[Features]":
        ones, unscaled = self._hidden is None, self._protocol.switches.const_features == "unscaled"
        if self._sparse:
            from sentflow.probing.sparse import standardised_sparse

            return standardised_sparse(parts, ones=ones, unscaled_constant=unscaled)
        dense = [part if isinstance(part, np.ndarray | SelectedRows) else part.toarray() for part in parts]
        return standardised(
            dense, ones=ones, torch_rounding=not self._uses_arrays, unscaled_constant=unscaled
        )

    @property
    def _uses_arrays(self) -> bool:
        return self._hidden is None and self._device == "cpu"

    def _new_training(self, settings: Sequence[Setting], *, epochs: int) -> Training:
        schedule = adamw_schedule(
            settings,
            self._protocol,
            n_steps=epochs * self._n_batches,
            warmup_steps=self._protocol.warmup_steps(self._n_batches),
        )
        if self._uses_arrays and self._sparse:
            from sentflow.probing.sparse_logistic import SparseLogisticTraining

            return SparseLogisticTraining(self._problem, self._labels[0], schedule, n_outputs=self._n_outputs)
        if self._uses_arrays and self._kernel == "numba":
            from sentflow.probing.fused import FusedLogisticTraining

            return FusedLogisticTraining(self._problem, self._labels[0], schedule, n_outputs=self._n_outputs)
        if self._uses_arrays:
            return LogisticTraining(self._problem, self._labels[0], schedule, n_outputs=self._n_outputs)
        if self._hidden is not None and self._device == "cpu":
            from sentflow.probing.mlp import MlpTraining

            return MlpTraining(
                self._problem, self._labels[0], schedule, n_outputs=self._n_outputs, hidden=self._hidden
            )
        from sentflow.probing.tensor_training import TensorTraining

        return TensorTraining(
            self._problem,
            self._labels[0],
            schedule,
            n_outputs=self._n_outputs,
            hidden=self._hidden,
            device=self._device,
        )

    def _part_metrics(self, logits: np.ndarray, labels: np.ndarray) -> list[float]:
        """One per probe of (S, m, outputs) logits."""
        return [
            published_metric(
                self._metric,
                labels,
                predicted,
                n_classes=self._n_classes,
                clip=self._protocol.switches.clip_metric,
            )
            for predicted in self._classes(logits)
        ]

    def _classes(self, logits: np.ndarray) -> np.ndarray:
        as_probabilities = self._protocol.switches.logit_in_unit_interval == "probability"
        return predicted_classes(logits, as_probabilities=as_probabilities)


class _EarlyStopping:
    """Counts the epochs in a row that hardly improved the best evaluation loss."""

    def __init__(self, protocol: ProbeProtocol) -> None:
        self._protocol = protocol
        self._best = math.inf
        self._stale_epochs = 0

    def after(self, loss: float) -> bool:
        """Whether to stop after an epoch with this evaluation loss."""
        improvement = (self._best - loss) / (1e-12 + self._best) if self._best < math.inf else math.inf
        if improvement < self._protocol.min_improvement:
            self._stale_epochs += 1
        else:
            self._best, self._stale_epochs = loss, 0
        return self._stale_epochs > self._protocol.patience


def _part_loss(logits: np.ndarray, labels: np.ndarray) -> float:
    return float(mean_losses(logits, labels[None])[0])
