"""Training one fold: the search over settings, then the final training with early stopping."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from sentflow.probing import logistic, mlp
from sentflow.probing.adamw import StackedAdamW
from sentflow.probing.columns import Problem, joined
from sentflow.probing.draws import EpochOrders, FoldPlan
from sentflow.probing.losses import class_scores, loss_and_residual, predicted_classes
from sentflow.probing.metrics import published_metric
from sentflow.probing.protocol import ProbeProtocol, Setting

logger = logging.getLogger(__name__)

# Features of a stacked batch that stay in the processor's second-level cache: float32 values.
_CACHED_VALUES = 1 << 19

_EVALUATION, _TEST = 0, 1  # the parts beside the training part, in the order of `Problem.others`


class ProbeStack(Protocol):
    """What training needs of S probes that are trained side by side."""

    parameters: torch.Tensor
    gradient: torch.Tensor

    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """Fill `gradient` from (S, B) row numbers; returns the (S,) mean losses."""

    def logits(self, features: torch.Tensor, offset: torch.Tensor | None = None) -> torch.Tensor:
        """(S, m, outputs); the offset (S, m, units) is added to the first layer."""


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
        Of the weights of the last epoch.
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


@dataclass(frozen=True)
class FoldData:
    """The three parts of a fold as tensors: standardised features (n, width) float32, labels (n,) int64.

    The width is `dimension`, or one more with the column of ones.
    """

    dimension: int
    train: tuple[torch.Tensor, torch.Tensor]
    evaluation: tuple[torch.Tensor, torch.Tensor]
    test: tuple[torch.Tensor, torch.Tensor]


def train_fold(
    plan: FoldPlan,
    data: FoldData,
    *,
    metric: str,
    n_classes: int,
    hidden: int | None,
    protocol: ProbeProtocol,
) -> FoldResult:
    """Choose a setting on the evaluation part, train with it, test once.

    Parameters
    ----------
    plan
        Rows and seeds of the fold.
    data
        From `standardised_parts`.
    metric
        See `published_metric`.
    n_classes
        Classes of the task.
    hidden
        Units of the hidden layer; None for a logistic probe.
    protocol
        Grid, epochs, early stopping.
    """
    fold = _FoldTraining(plan, data, metric=metric, n_classes=n_classes, hidden=hidden, protocol=protocol)
    setting = fold.search()
    return fold.train_finally(setting)


def standardised_parts(
    parts: Sequence[tuple[np.ndarray, np.ndarray]], *, device: str, ones: bool
) -> FoldData:
    """Standardise by the first (training) part: (x − mean) / (1e-12 + std), std unbiased, in float32.

    Parameters
    ----------
    parts
        Features (n, D) float32 and labels (n,) of the training, evaluation and test part.
    device
        Of torch.
    ones
        Append the column of ones that carries a logistic probe's bias.
    """
    tensors = [
        (torch.from_numpy(features).to(device), torch.from_numpy(labels).to(device))
        for features, labels in parts
    ]
    std, mean = torch.std_mean(tensors[0][0], dim=0)
    scale = std.add_(1e-12)
    train, evaluation, test = (
        (logistic.with_ones(scaled) if ones else scaled, labels)
        for scaled, labels in (((features - mean).div_(scale), labels) for features, labels in tensors)
    )
    return FoldData(len(mean), train=train, evaluation=evaluation, test=test)


class _FoldTraining:
    def __init__(
        self,
        plan: FoldPlan,
        data: FoldData,
        *,
        metric: str,
        n_classes: int,
        hidden: int | None,
        protocol: ProbeProtocol,
    ) -> None:
        self._plan, self._data, self._protocol = plan, data, protocol
        self._metric, self._n_classes, self._hidden = metric, n_classes, hidden
        n_train = len(data.train[1])
        self._n_batches = n_train // protocol.batch_size
        self._orders = EpochOrders(seed=plan.seed_loader, n_rows=n_train)
        self._n_outputs = 1 if n_classes == 2 else n_classes
        self._problem = self._joined_problem()

    def search(self) -> Setting:
        """The setting with the best evaluation metric after a short training; the first best wins."""
        protocol, grid = self._protocol, self._protocol.grid
        orders = [self._draw_epochs(protocol.search_epochs) for _ in grid]
        size = self._stack_size(len(grid))
        metrics: list[float] = []
        for start in range(0, len(grid), size):
            part = slice(start, start + size)
            stack, optimiser = self._train_stack(grid[part], torch.stack(orders[part]))
            logits = self._logits(stack, optimiser, _EVALUATION)
            metrics += [self._part_metric(values, self._data.evaluation[1]) for values in logits]
        return grid[int(np.argmax(metrics))]  # argmax gives the first of equals

    def train_finally(self, setting: Setting) -> FoldResult:
        """Train one probe until the evaluation loss stops falling, then test the last weights."""
        protocol = self._protocol
        stack = self._new_stack(1)
        optimiser = self._optimiser(stack, [setting], epochs=protocol.max_epochs)
        stopping = _EarlyStopping(protocol)
        train_losses, evaluation_losses, evaluation_metrics = [], [], []
        for _ in range(protocol.max_epochs):
            losses = self._train_epoch(stack, optimiser, self._draw_epochs(1)[0][None])
            train_losses.append(float(losses.mean()))
            logits = self._logits(stack, optimiser, _EVALUATION)
            evaluation_losses.append(_part_loss(logits, self._data.evaluation[1]))
            evaluation_metrics.append(self._part_metric(logits[0], self._data.evaluation[1]))
            if stopping.after(evaluation_losses[-1]):
                break
        labels = self._data.test[1]
        logits = self._logits(stack, optimiser, _TEST)
        predicted = predicted_classes(logits[0])
        logger.info(
            "repetition %d fold %d: %s, %d epochs, test %s %.4f",
            self._plan.repetition,
            self._plan.fold,
            setting,
            len(train_losses),
            self._metric,
            self._part_metric(logits[0], labels),
        )
        return FoldResult(
            repetition=self._plan.repetition,
            fold=self._plan.fold,
            setting=setting,
            train_losses=train_losses,
            evaluation_losses=evaluation_losses,
            evaluation_metrics=evaluation_metrics,
            test_loss=_part_loss(logits, labels),
            test_metric=self._part_metric(logits[0], labels),
            test_rows=self._plan.test,
            truth=labels.cpu().numpy(),
            predicted=predicted.cpu().numpy(),
            scores=class_scores(logits[0], predicted).cpu().numpy(),
            n_train=len(self._plan.train),
            n_evaluation=len(self._plan.evaluation),
            dimension=self._data.dimension,
        )

    def _stack_size(self, n_settings: int) -> int:
        """How many settings are trained side by side: MLPs are bound by matrix products and gain nothing."""
        if self._hidden is not None:
            return 1
        if len(self._plan.train) <= logistic.WHOLE_BATCHES * self._protocol.batch_size:
            return n_settings
        batch_values = self._protocol.batch_size * self._problem.train.shape[1]
        return max(1, min(n_settings, _CACHED_VALUES // batch_values))

    def _draw_epochs(self, epochs: int) -> torch.Tensor:
        """(epochs, batches, B) row numbers: the loader's next epochs, without incomplete batches."""
        n = self._n_batches * self._protocol.batch_size
        orders = torch.stack([self._orders.next()[:n] for _ in range(epochs)])
        return orders.view(epochs, self._n_batches, -1).to(self._data.train[1].device)

    def _train_stack(
        self, settings: Sequence[Setting], orders: torch.Tensor
    ) -> tuple[ProbeStack, StackedAdamW]:
        stack = self._new_stack(len(settings))
        optimiser = self._optimiser(stack, settings, epochs=orders.shape[1])
        for epoch in range(orders.shape[1]):
            self._train_epoch(stack, optimiser, orders[:, epoch])
        return stack, optimiser

    def _train_epoch(self, stack: ProbeStack, optimiser: StackedAdamW, orders: torch.Tensor) -> torch.Tensor:
        """One pass over (S, batches, B) row numbers; returns the (batches, S) losses."""
        losses = []
        for rows in orders.unbind(dim=1):
            losses.append(stack.compute_gradient(rows))
            optimiser.step()
        return torch.stack(losses)

    def _optimiser(self, stack: ProbeStack, settings: Sequence[Setting], *, epochs: int) -> StackedAdamW:
        return StackedAdamW(
            stack.parameters,
            stack.gradient,
            settings,
            self._protocol,
            n_steps=epochs * self._n_batches,
            warmup_steps=self._n_batches // 4,
            multiplicity=self._problem.multiplicity,
        )

    def _logits(self, stack: ProbeStack, optimiser: StackedAdamW, part: int) -> torch.Tensor:
        """(S, m, outputs) of the evaluation or the test part."""
        features, offset = self._problem.others[part]
        return stack.logits(features, None if offset is None else optimiser.decay[:, :, None] * offset)

    def _joined_problem(self) -> Problem:
        features, seed = self._data.train[0], self._plan.seed_init
        if self._hidden is None:
            width = self._n_outputs
            initial = logistic.initial_parameters(features.shape[1] - 1, self._n_outputs, seed=seed)
        else:
            width = self._hidden
            initial = mlp.initial_parameters(
                features.shape[1], self._n_outputs, hidden=self._hidden, seed=seed
            )
        others = (self._data.evaluation[0], self._data.test[0])
        return joined(features, others, initial.to(features.device), first_width=width)

    def _new_stack(self, size: int) -> ProbeStack:
        problem, labels = self._problem, self._data.train[1]
        if self._hidden is None:
            return logistic.LogisticStack(
                problem.train, labels, problem.initial, n_outputs=self._n_outputs, size=size
            )
        return mlp.MlpStack(
            problem.train,
            labels,
            problem.initial,
            hidden=self._hidden,
            n_outputs=self._n_outputs,
            size=size,
        )

    def _part_metric(self, logits: torch.Tensor, labels: torch.Tensor) -> float:
        predicted = predicted_classes(logits)
        return published_metric(
            self._metric, labels.cpu().numpy(), predicted.cpu().numpy(), n_classes=self._n_classes
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


def _part_loss(logits: torch.Tensor, labels: torch.Tensor) -> float:
    loss, _ = loss_and_residual(logits, labels[None])
    return float(loss[0])
