"""One fold: the search over settings, then the final training with early stopping."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sentflow.probing.features.sources import SelectedRows
from sentflow.probing.kernels.columns import Problem, joined
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.probing.settings import Setting
from sentflow.probing.training.final import FinalRun
from sentflow.probing.training.fold import Fold
from sentflow.probing.training.result import FoldResult
from sentflow.probing.training.standardise import standardised

if TYPE_CHECKING:
    from sentflow.probing.features.sources import FeaturePart
    from sentflow.probing.kernels.columns import Features


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


def train_fold(
    plan: FoldPlan, parts: "Sequence[FeaturePart]", labels: np.ndarray, design: ProbeDesign
) -> FoldResult:
    """Choose a setting on the evaluation part, train with it, test once.

    `parts`: features (n, D) float32 of the training, evaluation and test rows, all dense or all sparse. `labels`: (n,)
    int64 of all rows of the task.
    """
    training = _FoldTraining(Fold(plan, labels, design), parts)
    return training.train_finally(training.search())


class _FoldTraining:
    def __init__(self, fold: Fold, parts: "Sequence[FeaturePart]") -> None:
        self._fold, self._protocol, self._hidden = fold, fold.protocol, fold.design.hidden
        self._dimension = parts[0].shape[1]
        self._sparse = not isinstance(parts[0], np.ndarray | SelectedRows)
        self._problem = self._joined_problem(parts)
        self._evaluation, self._test = self._problem.others

    def search(self) -> Setting:
        """The setting with the best evaluation metric after a short training; the first best wins."""
        epochs, grid = self._protocol.search_epochs, self._protocol.grid
        orders = self._fold.draw_search()
        # MLPs are bound by matrix products and gain nothing by training side by side
        size = len(grid) if self._hidden is None else 1
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

    def _joined_problem(self, parts: "Sequence[FeaturePart]") -> Problem[Any]:
        train, *others = self._standardised(parts)
        first_width = self._fold.design.n_outputs if self._hidden is None else self._hidden
        return joined(train, others, self._fold.initial(self._dimension), first_width=first_width)

    def _standardised(self, parts: "Sequence[FeaturePart]") -> "Sequence[Features]":
        logistic, unscaled = self._hidden is None, self._protocol.switches.const_features == "unscaled"
        if self._sparse:
            from sentflow.probing.kernels.sparse import standardised_sparse

            return standardised_sparse(parts, ones=logistic, unscaled_constant=unscaled)
        return standardised(parts, ones=logistic, unscaled_constant=unscaled)

    def _new_training(self, settings: Sequence[Setting], *, epochs: int) -> Training:
        schedule, labels = self._fold.schedule(settings, epochs=epochs), self._fold.train_labels
        problem, n_outputs = self._problem, self._fold.design.n_outputs
        # Imported here, for each reads its compiled loops from a file.
        if self._hidden is not None:
            from sentflow.probing.kernels.mlp import MlpTraining

            return MlpTraining(problem, labels, schedule, n_outputs=n_outputs, hidden=self._hidden)
        if self._sparse:
            from sentflow.probing.kernels.sparse_logistic import SparseLogisticTraining

            return SparseLogisticTraining(problem, labels, schedule, n_outputs=n_outputs)
        from sentflow.probing.kernels.logistic import LogisticTraining

        return LogisticTraining(problem, labels, schedule, n_outputs=n_outputs)
