"""The final training of a fold: when it stops, and which weights are tested."""

import logging
import math

import numpy as np

from sentflow.probing.kernels.losses import class_scores, mean_losses
from sentflow.probing.settings import Penalty, ProbeProtocol, Setting
from sentflow.probing.training.fold import Fold
from sentflow.probing.training.result import FoldResult

logger = logging.getLogger(__name__)


class FinalRun:
    """The final training of a fold as it goes on: its curves, when it stops, and what it gave.

    `best_logits`: (m, outputs) of the test part at the epoch that `is_best` told last; None before, and without such
    epochs.
    """

    def __init__(self, fold: Fold, setting: Setting | Penalty) -> None:
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
        loss = part_loss(logits, self.fold.evaluation_labels)
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
            fold.design.metric,
            test_metric,
        )
        return FoldResult(
            repetition=plan.repetition,
            fold=plan.fold,
            setting=self.setting,
            train_losses=train_losses,
            evaluation_losses=self._losses,
            evaluation_metrics=fold.metrics(np.stack(self._logits), fold.evaluation_labels),
            test_loss=part_loss(logits, labels),
            test_metric=test_metric,
            test_rows=plan.test,
            truth=labels,
            predicted=predicted,
            scores=class_scores(logits, predicted),
            n_train=len(plan.train),
            n_evaluation=len(plan.evaluation),
            dimension=dimension,
        )


class _EarlyStopping:
    """Counts the epochs in a row that hardly improved the best evaluation loss, or whose loss is not finite."""

    def __init__(self, protocol: ProbeProtocol) -> None:
        self._protocol = protocol
        self._best = math.inf
        self._stale_epochs = 0

    def after(self, loss: float) -> bool:
        """Whether to stop after an epoch with this evaluation loss."""
        improvement = (self._best - loss) / (1e-12 + self._best) if self._best < math.inf else math.inf
        if not math.isfinite(loss) or improvement < self._protocol.min_improvement:
            self._stale_epochs += 1
        else:
            self._best, self._stale_epochs = loss, 0
        return self._stale_epochs > self._protocol.patience


def part_loss(logits: np.ndarray, labels: np.ndarray) -> float:
    return float(mean_losses(logits[None], labels[None])[0])
