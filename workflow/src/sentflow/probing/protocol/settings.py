"""The settings of a probing protocol, with the published evaluator's values.

Source of every number: ulysses-camara/ulysses-senteval@f2a12c2.
"""

import itertools
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from sentflow.probing.protocol.switches import Switches


class Setting(NamedTuple):
    """One point of the hyper-parameter grid: learning rate and the two momentum factors of AdamW."""

    learning_rate: float
    beta1: float
    beta2: float


@dataclass(frozen=True)
class ProbeProtocol:
    """How probes are trained and tested.

    Attributes
    ----------
    repetitions, folds
        Repetitions of a stratified cross-validation with `folds` folds.
    seed
        Root of all draws.
    evaluation_share
        Share of the training rows that chooses the setting and the stopping epoch.
    batch_size
        Rows of a training step; the last incomplete batch of an epoch is dropped.
    learning_rates, beta1s, beta2s
        The grid, searched in this nesting order.
    search_epochs, max_epochs
        Epochs of one search training, and at most of the final training.
    patience, min_improvement
        The final training stops when more than `patience` epochs in a row improved the best evaluation loss
        by less than the share `min_improvement`.
    weight_decay, epsilon, max_gradient_norm
        Of AdamW and of gradient clipping.
    warmup_start
        First factor of the learning rate's linear warm-up, which lasts a quarter of the first epoch.
    hidden_width
        Hidden units of an MLP probe.
    switches
        Which defects of the published evaluator are kept.
    """

    repetitions: int = 10
    folds: int = 5
    seed: int = 9847706
    evaluation_share: float = 0.2
    batch_size: int = 128
    learning_rates: tuple[float, ...] = (5e-4, 1e-3, 2e-3)
    beta1s: tuple[float, ...] = (0.80, 0.90)
    beta2s: tuple[float, ...] = (0.990, 0.999)
    search_epochs: int = 8
    max_epochs: int = 100
    patience: int = 5
    min_improvement: float = 0.0025
    weight_decay: float = 0.01
    epsilon: float = 1e-8
    max_gradient_norm: float = 1.0
    warmup_start: float = 0.05
    hidden_width: int = 256
    switches: Switches = field(default_factory=Switches)

    @property
    def grid(self) -> tuple[Setting, ...]:
        """All settings in the order in which they are tried."""
        return tuple(
            Setting(*point) for point in itertools.product(self.learning_rates, self.beta1s, self.beta2s)
        )

    def changes(self) -> dict[str, dict[str, Any]]:
        """Numbers that are not the published ones: name → ``{"here": value, "published": value}``."""
        return {
            item.name: {"here": getattr(self, item.name), "published": item.default}
            for item in fields(self)
            if item.name != "switches" and getattr(self, item.name) != item.default
        }

    def fits_batch(self, n_train: int) -> int:
        """Rows of a training step: the batch size, or a whole training part that is smaller and may be trained on."""
        return self.batch_size if self.switches.warmup_floor else min(self.batch_size, n_train)

    def warmup_steps(self, n_batches: int) -> int:
        """Steps of the warm-up at `n_batches` steps per epoch; 0 keeps the learning rate at `warmup_start`."""
        steps = n_batches // 4
        return steps if self.switches.warmup_floor else max(1, steps)


PUBLISHED = ProbeProtocol()
