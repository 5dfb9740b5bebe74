"""A fold beside its features: labels, draws, schedules, and how its logits are judged."""

from collections.abc import Sequence

import numpy as np

from sentflow.probing.kernels.losses import predicted_classes
from sentflow.probing.kernels.schedule import Schedule, adamw_schedule
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.probing.protocol.metrics import published_metric
from sentflow.probing.protocol.torch_draws import EpochOrders, logistic_parameters, mlp_parameters
from sentflow.probing.settings import Setting


class Fold:
    """What is known of a fold before its features. `labels`: (n,) int64 of all rows of the task."""

    def __init__(self, plan: FoldPlan, labels: np.ndarray, design: ProbeDesign) -> None:
        self.plan, self.design, self.protocol = plan, design, design.protocol
        self.train_labels, self.evaluation_labels, self.test_labels = (
            labels[rows] for rows in (plan.train, plan.evaluation, plan.test)
        )
        self.batch_size = self.protocol.fits_batch(len(plan.train))
        self.n_batches = len(plan.train) // self.batch_size
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

    def initial(self, width: int) -> np.ndarray:
        """(P,) float32: the initial parameters of a probe of `width` features."""
        n_outputs, seed = self.design.n_outputs, self.plan.seed_init
        if self.design.hidden is None:
            return logistic_parameters(width, n_outputs, seed=seed)
        return mlp_parameters(width, n_outputs, hidden=self.design.hidden, seed=seed)

    def schedule(self, settings: Sequence[Setting], *, epochs: int) -> Schedule:
        """The schedule of probes with these settings, for at most `epochs` epochs."""
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
                self.design.metric,
                labels,
                predicted,
                n_classes=self.design.n_classes,
                clip=self.protocol.switches.clip_metric,
            )
            for predicted in self.classes(logits)
        ]

    def classes(self, logits: np.ndarray) -> np.ndarray:
        """(…, m) int64 predicted classes of (…, m, outputs) logits."""
        as_probabilities = self.protocol.switches.logit_in_unit_interval == "probability"
        return predicted_classes(logits, as_probabilities=as_probabilities)
