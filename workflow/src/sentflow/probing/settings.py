"""How probes are trained and tested: protocols, and what jobs that probe read of them.

The Snakefile imports it: standard library and pydantic only. Every number is that of
ulysses-camara/ulysses-senteval@f2a12c2, whose defects docs/protocols.md tells in a sentence each.
"""

import itertools
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field

from sentflow.config.configuration import ScoreStatistics
from sentflow.config.model import Count, Distinct, Folds, Int, Maybe, Number, Repetitions, Seed, Settings

PUBLISHED_NAME = "published"
CROSS_VALIDATION = ("repetitions", "folds", "seed")
LOGISTIC, MLP, REGULARISED = "logistic", "mlp", "regularised"
# What fits regularised probes. By name, not imported: its code counts in the digests of those jobs alone.
REGULARISED_PROBES = "sentflow.probing.regularised"


class Setting(NamedTuple):
    """One point of the hyper-parameter grid: learning rate and the two momentum factors of AdamW."""

    learning_rate: float
    beta1: float
    beta2: float


class Penalty(NamedTuple):
    """One point of the grid of a regularised probe.

    `penalty`: λ of mean loss + λ/2 · squared norm of the weights. `scaling`: ``"one"`` number for all columns, or a
    number for each of the ``"columns"``.
    """

    penalty: float
    scaling: str


class Switches(Settings):
    """Which defects of the published evaluator are kept. What is not named is as published."""

    leak_hidden_dims: bool = False
    """A1: the hidden layer of F3 and F5 stays on for the 13 tasks after them; published: off."""
    interval: Literal["repeatability", "generalisation"] = "repeatability"
    """A2: the interval that the protocol calls its own, repeatability (published) or generalisation."""
    reflect_bca: bool = True
    """A3: the bootstrap interval is mirrored around the mean; published: on."""
    degenerate_interval: Literal["undefined", "zero-width"] = "undefined"
    """A4: the interval if all folds are equal: undefined (published) or zero-width."""
    clip_metric: bool = True
    """A5: the metric is clipped at 0 in every fold and in the search; published: on."""
    warmup_floor: bool = True
    """A6: no warm-up step, and no parts below one batch (published: on); off: at least one step, a smaller batch."""
    best_checkpoint: bool = False
    """A7: the weights with the lowest evaluation loss are tested, not the last; published: off."""
    const_features: Literal["divide", "unscaled"] = "divide"
    """A8: columns that are constant in the training part: divided by 1e-12 (published), or unscaled."""
    lazy_sep_layout: Literal["pair", "alternatives"] = "pair"
    """A9: alternatives for encoders fitted in folds: text b as one text (pair, published), or each by itself."""
    logit_in_unit_interval: Literal["probability", "logit"] = "probability"
    """A10: two classes, all logits in [0, 1]: compared with 0.5 (probability, published), or with 0 (logit)."""
    curve_survivors: bool = True
    """A14: curves average over the remaining folds (published: on); off: they end below half of the folds."""
    stratify_eval: bool = False
    """A15: every class has its share of the evaluation part; published: off."""
    group_folds: bool = False
    """A16: rows of one document are never in two folds; published: off."""

    def changes(self) -> dict[str, bool | str]:
        """The switches that are not as published, in their order."""
        return self.model_dump(exclude_defaults=True)


class Training(Settings):
    """Settings of training, published values where they are not named. Other values make results not comparable."""

    repetitions: Repetitions = 10
    """probe.repetitions if left out."""
    folds: Folds = 5
    """probe.folds if left out."""
    seed: Seed = 9847706
    """probe.seed if left out."""
    evaluation_share: Number = Field(0.2, gt=0, lt=1)
    """Share of the rows outside the test part that form the evaluation part; 0.2 as published."""
    batch_size: Int = Field(128, ge=2)
    """Rows of a training step, at least 2; 128 as published. The last incomplete batch of an epoch is dropped."""
    learning_rates: Distinct[Annotated[Number, Field(gt=0)]] = Field((5e-4, 1e-3, 2e-3), min_length=1)
    """Learning rates of the grid; 0.0005, 0.001, 0.002 as published."""
    beta1s: Distinct[Annotated[Number, Field(ge=0, lt=1)]] = Field((0.80, 0.90), min_length=1)
    """First momentum factors of the grid, below 1; 0.8, 0.9 as published."""
    beta2s: Distinct[Annotated[Number, Field(ge=0, lt=1)]] = Field((0.990, 0.999), min_length=1)
    """Second momentum factors of the grid, below 1; 0.99, 0.999 as published."""
    search_epochs: Count = 8
    """Epochs of each training of the search; 8 as published."""
    max_epochs: Count = 100
    """Most epochs of the final training; 100 as published."""
    patience: Int = Field(5, ge=0)
    """Epochs in a row that may pass without improvement; 5 as published."""
    min_improvement: Number = Field(0.0025, ge=0)
    """Share of the best loss by which an epoch must improve to count; 0.0025 as published."""
    weight_decay: Number = Field(0.01, ge=0)
    """Of AdamW; 0.01 as published."""
    epsilon: Number = Field(1e-8, gt=0)
    """Of AdamW's denominator; 1e-8 as published (in YAML write 1.0e-8)."""
    max_gradient_norm: Number = Field(1.0, gt=0)
    """Norm to which gradients are clipped; 1 as published."""
    warmup_start: Number = Field(0.05, gt=0, le=1)
    """First factor of the learning rate, which rises over a quarter of the first epoch; 0.05 as published."""
    hidden_width: Count = 256
    """Hidden units of an MLP; 256 as published."""
    classifier: Maybe[Literal["logistic", "mlp", "regularised"]] = None
    """Probe of every task: logistic, mlp, or regularised (docs/protocols.md); each task's own if left out."""
    penalties: Distinct[Annotated[Number, Field(gt=0)]] = Field(
        (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6), min_length=1
    )
    """Regularised probes: penalties λ to try, the strongest first."""
    scalings: Distinct[Literal["one", "columns"]] = Field(("one", "columns"), min_length=1)
    """Regularised probes: scalings to try, one number for all columns, or one per column."""


class ProbeProtocol(Training):
    """How probes are trained and tested; the defaults are the published evaluator's.

    The grid is searched learning rate by learning rate, then by the two momentum factors. The final training stops when
    more than `patience` epochs in a row improved the best evaluation loss by less than the share `min_improvement`.
    """

    name: str = PUBLISHED_NAME
    title: str = ""
    switches: Switches = Switches()
    """Which defects of the published evaluator are kept."""

    def but(self, **changes: Any) -> Self:
        """The same protocol with some of its fields set otherwise."""
        return self.model_copy(update=changes)

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
        return {
            "folds": self.folds,
            "batch_rows": self.batch_size,
            "evaluation_share": self.evaluation_share,
            "small_parts": not self.switches.warmup_floor,
        }


PUBLISHED = ProbeProtocol()


class ProbeSettings(Settings):
    """What decides the folds of a task beside its rows and their features, see `catalog.job_settings`."""

    metric: Literal["mcc", "adjusted_macro_f1"]
    protocol: ProbeProtocol
    """With the classifier of the task. What cannot matter to its probes is as published."""
    folds_optional: bool = False
    """Whether documents that cannot be assigned to folds leave these untested, which else is an error."""

    def as_json(self) -> str:
        """The text by which a job receives it; defaults are left out, for they are in the digest of its code."""
        return self.model_dump_json(exclude_defaults=True)

    def trains_like(self, other: Self) -> bool:
        """Whether the folds are the same but for the name of their protocol."""
        nameless = {"protocol": {"name"}}
        return self.model_dump(exclude=nameless) == other.model_dump(exclude=nameless)


class AboutProtocol(Settings):
    """What the score of a task says of its protocol."""

    name: str
    switches: Switches
    changed: dict[str, dict[str, Any]]
    """Settings of training that are not the published ones, each with its value ``here`` and ``published``."""


class TaskScore(Settings):
    """What decides the score of a task beside its folds."""

    task: str
    probe: ProbeSettings
    protocol: AboutProtocol
    """Of the score, which may be that of other folds than its own."""

    def as_dict(self) -> dict[str, Any]:
        """As `ProbeSettings.as_json`, defaults are left out: every score file is recorded with those of many tasks."""
        return self.model_dump(mode="json", exclude_defaults=True)


class ScoreSettings(Settings):
    """What decides the scores of an encoder beside its folds; of every task, in the order of the files."""

    statistics: ScoreStatistics
    tasks: tuple[TaskScore, ...]


def switch_text(changes: Mapping[str, bool | str]) -> str:
    """Changed switches as people read them: ``clip_metric off, interval generalisation``; empty for none."""
    words = {True: "on", False: "off"}
    return ", ".join(
        f"{name} {words[value] if isinstance(value, bool) else value}" for name, value in changes.items()
    )


def not_comparable_text(changed: Mapping[str, Mapping[str, Any]]) -> str:
    """Changed settings as people read them: ``batch_size 64 (published: 128)``; empty for none."""
    return ", ".join(
        f"{name} {_plain(change['here'])} (published: {_plain(change['published'])})"
        for name, change in changed.items()
    )


def _plain(value: Any) -> str:
    if not isinstance(value, list | tuple):
        return str(value)
    return " / ".join(item if isinstance(item, str) else f"{item:g}" for item in value)
