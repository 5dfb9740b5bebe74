"""Training one fold: the search over settings, then the final training with early stopping."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sentflow.probing.kernels.columns import Problem, joined
from sentflow.probing.kernels.logistic import LogisticTraining
from sentflow.probing.kernels.losses import class_scores, mean_losses, predicted_classes
from sentflow.probing.kernels.schedule import Schedule, adamw_schedule
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.probing.protocol.initial import logistic_parameters, mlp_parameters
from sentflow.probing.protocol.metrics import published_metric
from sentflow.probing.protocol.settings import ProbeProtocol, Setting
from sentflow.probing.protocol.torch_draws import EpochOrders
from sentflow.probing.training.selected_rows import SelectedRows
from sentflow.probing.training.standardise import standardised

if TYPE_CHECKING:
    from sentflow.probing.features.rows import FeaturePart
    from sentflow.probing.kernels.columns import Features

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
    fold = Fold(plan, labels, metric=metric, n_classes=n_classes, protocol=protocol)
    training = _FoldTraining(fold, parts, hidden=hidden, device=device, kernel=kernel)
    setting = training.search()
    return training.train_finally(setting)


class Fold:
    """A fold beside its features: labels, draws, schedules, and how its logits are judged.

    Parameters
    ----------
    plan
        Rows and seeds of the fold.
    labels
        (n,) int64 of all rows of the task.
    metric, n_classes, protocol
        See `train_fold`.
    """

    def __init__(
        self, plan: FoldPlan, labels: np.ndarray, *, metric: str, n_classes: int, protocol: ProbeProtocol
    ) -> None:
        self.plan, self.protocol, self.metric = plan, protocol, metric
        self.train_labels, self.evaluation_labels, self.test_labels = (
            labels[rows] for rows in (plan.train, plan.evaluation, plan.test)
        )
        self.n_outputs = 1 if n_classes == 2 else n_classes
        self.batch_size = protocol.fits_batch(len(plan.train))
        self.n_batches = len(plan.train) // self.batch_size
        self._n_classes = n_classes
        self._orders = EpochOrders(seed=plan.seed_loader, n_rows=len(plan.train))

    def draw_search(self) -> np.ndarray:
        """(S, epochs, batches, B) places in the training part: all epochs of the search, one setting after another."""
        settings, epochs = len(self.protocol.grid), self.protocol.search_epochs
        orders = self.draw_epochs(settings * epochs)
        return orders.reshape(settings, epochs, *orders.shape[1:])

    def draw_epochs(self, epochs: int) -> np.ndarray:
        """(epochs, batches, B) places in the training part: the loader's next epochs, without incomplete batches."""
        n = self.n_batches * self.batch_size
        return self._orders.next(epochs)[:, :n].reshape(epochs, self.n_batches, -1)

    def initial(self, width: int, *, hidden: int | None) -> np.ndarray:
        """(P,) float32: the initial parameters of a probe of `width` features."""
        seed = self.plan.seed_init
        if hidden is None:
            return logistic_parameters(width, self.n_outputs, seed=seed)
        return mlp_parameters(width, self.n_outputs, hidden=hidden, seed=seed)

    def schedule(self, settings: Sequence[Setting], *, epochs: int) -> Schedule:
        """Of probes with these settings, for at most so many epochs."""
        return adamw_schedule(
            settings,
            self.protocol,
            n_steps=epochs * self.n_batches,
            warmup_steps=self.protocol.warmup_steps(self.n_batches),
        )

    def best_setting(self, metrics: Sequence[float]) -> Setting:
        """The setting with the best evaluation metric; the first best wins."""
        return self.protocol.grid[int(np.argmax(metrics))]  # argmax gives the first of equals

    def metrics(self, logits: np.ndarray, labels: np.ndarray) -> list[float]:
        """One per probe of (S, m, outputs) logits."""
        return [
            published_metric(
                self.metric,
                labels,
                predicted,
                n_classes=self._n_classes,
                clip=self.protocol.switches.clip_metric,
            )
            for predicted in self.classes(logits)
        ]

    def classes(self, logits: np.ndarray) -> np.ndarray:
        """(…, m) int64 predicted classes of (…, m, outputs) logits."""
        as_probabilities = self.protocol.switches.logit_in_unit_interval == "probability"
        return predicted_classes(logits, as_probabilities=as_probabilities)


class FinalRun:
    """The final training of a fold as it goes on: its curves, when it stops, and what it gave.

    Attributes
    ----------
    best_logits
        (m, outputs) of the test part at the epoch that `is_best` told last; None before, and without such epochs.
    """

    def __init__(self, fold: Fold, setting: Setting) -> None:
        self.fold, self.setting = fold, setting
        self.best_logits: np.ndarray | None = None
        self._stopping = _EarlyStopping(fold.protocol)
        self._losses: list[float] = []
        self._logits: list[np.ndarray] = []
        self._lowest, self._is_best = math.inf, False

    @property
    def is_best(self) -> bool:
        """Whether the weights of the last epoch are, so far, the ones to test (`Switches.best_checkpoint`)."""
        return self._is_best

    def after(self, logits: np.ndarray) -> bool:
        """Whether to stop after an epoch with these (m, outputs) logits of the evaluation part."""
        loss = _part_loss(logits, self.fold.evaluation_labels)
        self._losses.append(loss)
        self._logits.append(logits)
        self._is_best = self.fold.protocol.switches.best_checkpoint and loss < self._lowest
        self._lowest = min(self._lowest, loss)
        return self._stopping.after(loss)

    def result(self, logits: np.ndarray, *, train_losses: list[float], dimension: int) -> FoldResult:
        """What the fold gave, from the (m, outputs) logits of its test part."""
        fold, plan, labels = self.fold, self.fold.plan, self.fold.test_labels
        predicted = fold.classes(logits)
        [test_metric] = fold.metrics(logits[None], labels)
        logger.info(
            "repetition %d fold %d: %s, %d epochs, test %s %.4f",
            plan.repetition,
            plan.fold,
            self.setting,
            len(self._losses),
            fold.metric,
            test_metric,
        )
        return FoldResult(
            repetition=plan.repetition,
            fold=plan.fold,
            setting=self.setting,
            train_losses=train_losses,
            evaluation_losses=self._losses,
            evaluation_metrics=fold.metrics(np.stack(self._logits), fold.evaluation_labels),
            test_loss=_part_loss(logits, labels),
            test_metric=test_metric,
            test_rows=plan.test,
            truth=labels,
            predicted=predicted,
            scores=class_scores(logits, predicted),
            n_train=len(plan.train),
            n_evaluation=len(plan.evaluation),
            dimension=dimension,
        )


class _FoldTraining:
    def __init__(
        self,
        fold: Fold,
        parts: "Sequence[FeaturePart]",
        *,
        hidden: int | None,
        device: str,
        kernel: str,
    ) -> None:
        self._fold, self._protocol = fold, fold.protocol
        self._device, self._kernel, self._hidden = device, kernel, hidden
        self._dimension = parts[0].shape[1]
        # Accelerators multiply dense matrices of this size faster than sparse ones.
        self._sparse = device == "cpu" and not isinstance(parts[0], np.ndarray | SelectedRows)
        self._problem = self._joined_problem(parts)
        self._evaluation, self._test = self._problem.others

    def search(self) -> Setting:
        """The setting with the best evaluation metric after a short training; the first best wins."""
        epochs, grid = self._protocol.search_epochs, self._protocol.grid
        orders = self._fold.draw_search()
        size = self._stack_size()
        metrics: list[float] = []
        for part in (slice(start, start + size) for start in range(0, len(grid), size)):
            training = self._new_training(grid[part], epochs=epochs)
            for epoch in range(epochs):
                training.epoch(orders[part, epoch])
            logits = training.logits(*self._evaluation)
            metrics += self._fold.metrics(logits, self._fold.evaluation_labels)
        return self._fold.best_setting(metrics)

    def train_finally(self, setting: Setting) -> FoldResult:
        """Train one probe until the evaluation loss stops falling, then test the last weights, or the best."""
        training = self._new_training([setting], epochs=self._protocol.max_epochs)
        run = FinalRun(self._fold, setting)
        for _ in range(self._protocol.max_epochs):
            training.epoch(self._fold.draw_epochs(1))
            stops = run.after(training.logits(*self._evaluation)[0])
            if run.is_best:
                run.best_logits = training.logits(*self._test)[0]
            if stops:
                break
        return run.result(
            training.logits(*self._test)[0] if run.best_logits is None else run.best_logits,
            train_losses=training.losses()[0].mean(axis=1).tolist(),
            dimension=self._dimension,
        )

    def _stack_size(self) -> int:
        """How many settings train side by side; on a processor MLPs are bound by matrix products and gain nothing."""
        return 1 if self._hidden is not None and self._device == "cpu" else len(self._protocol.grid)

    def _joined_problem(self, parts: "Sequence[FeaturePart]") -> Problem[Any]:
        train, *others = self._standardised(parts)
        initial = self._fold.initial(self._dimension, hidden=self._hidden)
        first_width = self._fold.n_outputs if self._hidden is None else self._hidden
        return joined(train, others, initial, first_width=first_width)

    def _standardised(self, parts: "Sequence[FeaturePart]") -> "Sequence[Features]":
        ones, unscaled = self._hidden is None, self._protocol.switches.const_features == "unscaled"
        if self._sparse:
            from sentflow.probing.kernels.sparse import standardised_sparse

            return standardised_sparse(parts, ones=ones, unscaled_constant=unscaled)
        dense = [part if isinstance(part, np.ndarray | SelectedRows) else part.toarray() for part in parts]
        return standardised(
            dense, ones=ones, torch_rounding=not self._uses_arrays, unscaled_constant=unscaled
        )

    @property
    def _uses_arrays(self) -> bool:
        return self._hidden is None and self._device == "cpu"

    def _new_training(self, settings: Sequence[Setting], *, epochs: int) -> Training:
        schedule, labels = self._fold.schedule(settings, epochs=epochs), self._fold.train_labels
        n_outputs = self._fold.n_outputs
        if self._uses_arrays and self._sparse:
            from sentflow.probing.kernels.sparse_logistic import SparseLogisticTraining

            return SparseLogisticTraining(self._problem, labels, schedule, n_outputs=n_outputs)
        if self._uses_arrays and self._kernel == "numba":
            from sentflow.probing.kernels.fused import FusedLogisticTraining

            return FusedLogisticTraining(self._problem, labels, schedule, n_outputs=n_outputs)
        if self._uses_arrays:
            return LogisticTraining(self._problem, labels, schedule, n_outputs=n_outputs)
        if self._hidden is not None and self._device == "cpu":
            from sentflow.probing.kernels.mlp import MlpTraining

            return MlpTraining(self._problem, labels, schedule, n_outputs=n_outputs, hidden=self._hidden)
        from sentflow.probing.accelerator.tensor_training import TensorTraining

        return TensorTraining(
            self._problem,
            labels,
            schedule,
            n_outputs=n_outputs,
            hidden=self._hidden,
            device=self._device,
        )


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
    return float(mean_losses(logits[None], labels[None])[0])
