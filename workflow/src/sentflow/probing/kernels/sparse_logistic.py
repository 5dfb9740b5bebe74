"""Training of logistic probes on sparse features: a step costs what its entries cost, and one pass of AdamW."""

from typing import TYPE_CHECKING, Any

import numpy as np

from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.logistic import LinearProbes
from sentflow.probing.kernels.loops import sparse
from sentflow.probing.kernels.schedule import Schedule

if TYPE_CHECKING:
    from sentflow.probing.kernels.sparse import ShiftedSparse


class SparseLogisticTraining(LinearProbes):
    """Linear probes on features that are almost all zero; parameters as those of `LinearProbes`."""

    def __init__(
        self, problem: "Problem[ShiftedSparse]", labels: np.ndarray, schedule: Schedule, *, n_outputs: int
    ) -> None:
        super().__init__(problem, labels, schedule, n_outputs=n_outputs)
        self._entries = problem.train.entries()

    def _train(self, *arguments: Any) -> None:
        sparse.train_epoch(*self._entries, self._features.shift, *arguments)
