"""Training one fold: the search over settings, then the final training with early stopping."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from sentflow.probing import logistic, mlp
from sentflow.probing.columns import Problem, joined
from sentflow.probing.draws import EpochOrders, FoldPlan
from sentflow.probing.logistic_cpu import CpuLogisticTraining
from sentflow.probing.losses import class_scores, mean_losses, predicted_classes
from sentflow.probing.metrics import published_metric
from sentflow.probing.protocol import ProbeProtocol, Setting
from sentflow.probing.schedule import adamw_schedule
from sentflow.probing.stack_training import ProbeStack, StackTraining

logger = logging.getLogger(__name__)

_EVALUATION, _TEST = 0, 1  # the parts beside the training part, in the order of `Problem.others`


class Training(Protocol):
    """S probes that are trained side by side."""

    def epoch(self, rows: torch.Tensor) -> None:
        """Train on every batch of (S, batches, B) int64 row numbers."""

    def losses(self) -> np.ndarray:
        """(S, batches) float64 mean losses of the last epoch's batches, each before its step."""

    def logits(self, features: torch.Tensor, offset: torch.Tensor | None = None) -> np.ndarray:
        """(S, m, outputs) for (m, D) features, plus the decayed `offset` (m, units) of the first layer."""


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
    """The three parts of a fold: standardised features (n, width) float32 on the device, labels (n,) int64.

    The width is `dimension`, or one more with the column of ones.
    """

    dimension: int
    train: tuple[torch.Tensor, np.ndarray]
    evaluation: tuple[torch.Tensor, np.ndarray]
    test: tuple[torch.Tensor, np.ndarray]


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
    features = [torch.from_numpy(part).to(device) for part, _ in parts]
    std, mean = torch.std_mean(features[0], dim=0)
    scale = std.add_(1e-12)

    def standardised(part: torch.Tensor) -> torch.Tensor:
        scaled = part.new_ones(len(part), len(mean) + ones)
        torch.sub(part, mean, out=scaled[:, : len(mean)]).div_(scale)
        return scaled

    train, evaluation, test = (
        (standardised(part), labels) for part, (_, labels) in zip(features, parts, strict=True)
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
        self._on_processor = _on_processor(data.train[0])
        n_train = len(data.train[1])
        self._n_batches = n_train // protocol.batch_size
        self._orders = EpochOrders(seed=plan.seed_loader, n_rows=n_train)
        self._n_outputs = 1 if n_classes == 2 else n_classes
        self._problem = self._joined_problem()

    def search(self) -> Setting:
        """The setting with the best evaluation metric after a short training; the first best wins."""
        epochs, grid = self._protocol.search_epochs, self._protocol.grid
        orders = self._draw_epochs(len(grid) * epochs)
        orders = orders.view(len(grid), epochs, *orders.shape[1:])
        size = self._stack_size()
        metrics: list[float] = []
        for part in (slice(start, start + size) for start in range(0, len(grid), size)):
            training = self._new_training(grid[part], epochs=epochs)
            for epoch in range(epochs):
                training.epoch(orders[part, epoch])
            logits = training.logits(*self._problem.others[_EVALUATION])
            metrics += [self._part_metric(values, self._data.evaluation[1]) for values in logits]
        return grid[int(np.argmax(metrics))]  # argmax gives the first of equals

    def train_finally(self, setting: Setting) -> FoldResult:
        """Train one probe until the evaluation loss stops falling, then test the last weights."""
        training = self._new_training([setting], epochs=self._protocol.max_epochs)
        stopping = _EarlyStopping(self._protocol)
        train_losses, evaluation_losses, evaluation_metrics = [], [], []
        for _ in range(self._protocol.max_epochs):
            training.epoch(self._draw_epochs(1))
            train_losses.append(float(training.losses().mean()))
            logits = training.logits(*self._problem.others[_EVALUATION])
            evaluation_losses.append(_part_loss(logits, self._data.evaluation[1]))
            evaluation_metrics.append(self._part_metric(logits[0], self._data.evaluation[1]))
            if stopping.after(evaluation_losses[-1]):
                break
        labels = self._data.test[1]
        logits = training.logits(*self._problem.others[_TEST])
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
            truth=labels,
            predicted=predicted,
            scores=class_scores(logits[0], predicted),
            n_train=len(self._plan.train),
            n_evaluation=len(self._plan.evaluation),
            dimension=self._data.dimension,
        )

    def _stack_size(self) -> int:
        """How many settings train side by side; on a processor MLPs are bound by matrix products and gain nothing."""
        return 1 if self._hidden is not None and self._on_processor else len(self._protocol.grid)

    def _draw_epochs(self, epochs: int) -> torch.Tensor:
        """(epochs, batches, B) row numbers: the loader's next epochs, without incomplete batches."""
        n = self._n_batches * self._protocol.batch_size
        orders = self._orders.next(epochs)[:, :n].reshape(epochs, self._n_batches, -1)
        return orders.to(self._problem.train.device)

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

    def _new_training(self, settings: Sequence[Setting], *, epochs: int) -> Training:
        problem, labels = self._problem, torch.from_numpy(self._data.train[1]).to(self._problem.train.device)
        schedule = adamw_schedule(
            settings,
            self._protocol,
            n_steps=epochs * self._n_batches,
            warmup_steps=self._n_batches // 4,
        )
        if self._hidden is None and self._on_processor:
            return CpuLogisticTraining(problem, labels, schedule, n_outputs=self._n_outputs)
        stack: ProbeStack
        if self._hidden is None:
            stack = logistic.LogisticStack(
                problem.train, labels, problem.initial, n_outputs=self._n_outputs, size=len(settings)
            )
        else:
            stack = mlp.MlpStack(
                problem.train,
                labels,
                problem.initial,
                hidden=self._hidden,
                n_outputs=self._n_outputs,
                size=len(settings),
            )
        return StackTraining(stack, schedule, multiplicity=problem.multiplicity)

    def _part_metric(self, logits: np.ndarray, labels: np.ndarray) -> float:
        return published_metric(self._metric, labels, predicted_classes(logits), n_classes=self._n_classes)


def _on_processor(features: torch.Tensor) -> bool:
    return features.device.type == "cpu"


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
