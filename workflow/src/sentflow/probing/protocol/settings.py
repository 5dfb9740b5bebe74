"""A probing protocol, as an entry of the catalog becomes it and as jobs read it back.

Standard library only: the Snakefile reads it. Source of every number: ulysses-camara/ulysses-senteval@f2a12c2.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sentflow.probing.protocol.switches import Switches

PUBLISHED_NAME = "published"
CROSS_VALIDATION = ("repetitions", "folds", "seed")
LOGISTIC, MLP, REGULARISED = "logistic", "mlp", "regularised"


class Setting(NamedTuple):
    """One point of the hyper-parameter grid: learning rate and the two momentum factors of AdamW."""

    learning_rate: float
    beta1: float
    beta2: float


class Penalty(NamedTuple):
    """One point of the grid of a regularised probe.

    Attributes
    ----------
    penalty
        λ of mean loss + λ/2 · squared norm of the weights.
    scaling
        ``"one"`` number for all columns, or a number for each of the ``"columns"``.
    """

    penalty: float
    scaling: str


@dataclass(frozen=True)
class ProbeProtocol:
    """How probes are trained and tested; the defaults are the published evaluator's.

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
    classifier
        ``"logistic"``, ``"mlp"`` or ``"regularised"`` for every task; None: each task has its own.
    penalties, scalings
        The grid of regularised probes, which read of the keys above only the share of the evaluation part; penalties
        descend.
    switches
        Which defects of the published evaluator are kept.
    name, title
        For paths, and for people.
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
    classifier: str | None = None
    penalties: tuple[float, ...] = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
    scalings: tuple[str, ...] = ("one", "columns")
    switches: Switches = field(default_factory=Switches)
    name: str = PUBLISHED_NAME
    title: str = field(default="", compare=False)

    @property
    def cross_validation(self) -> dict[str, int]:
        """Repetitions, folds and seed."""
        return {key: getattr(self, key) for key in CROSS_VALIDATION}

    @property
    def grid(self) -> tuple[Setting, ...]:
        """All settings in the order in which they are tried."""
        return tuple(
            Setting(*point) for point in itertools.product(self.learning_rates, self.beta1s, self.beta2s)
        )

    def fits_batch(self, n_train: int) -> int:
        """Rows of a training step: the batch size, or a whole training part that is smaller and may be trained on."""
        return self.batch_size if self.switches.warmup_floor else min(self.batch_size, n_train)

    def warmup_steps(self, n_batches: int) -> int:
        """Steps of the warm-up at `n_batches` steps per epoch; 0 keeps the learning rate at `warmup_start`."""
        steps = n_batches // 4
        return steps if self.switches.warmup_floor else max(1, steps)

    def needs(self) -> dict[str, Any]:
        """What decides whether a task has enough rows, see `sentflow.texts.checks.check_folds`."""
        return {
            "folds": self.folds,
            "batch_rows": self.batch_size,
            "evaluation_share": self.evaluation_share,
            "small_parts": not self.switches.warmup_floor,
        }


PUBLISHED = ProbeProtocol()


def frozen(training: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of training from YAML or JSON, as fields of a `ProbeProtocol`."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in training.items()}
