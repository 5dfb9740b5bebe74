"""A probing protocol: what an entry of the catalog or the config becomes, and what jobs are told of it.

Standard library only: the Snakefile reads it. Source of every number: ulysses-camara/ulysses-senteval@f2a12c2.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from sentflow.probing.protocol.switches import PROBE_SWITCHES, Switches, SwitchValue

PUBLISHED_NAME = "published"
CROSS_VALIDATION = ("repetitions", "folds", "seed")


class Setting(NamedTuple):
    """One point of the hyper-parameter grid: learning rate and the two momentum factors of AdamW."""

    learning_rate: float
    beta1: float
    beta2: float


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
        ``"logistic"`` or ``"mlp"`` for every task; None: each task has its own.
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
    switches: Switches = field(default_factory=Switches)
    name: str = PUBLISHED_NAME
    title: str = field(default="", compare=False)

    @classmethod
    def from_entry(
        cls, name: str, entry: Mapping[str, Any], probe: Mapping[str, Any] | None = None
    ) -> "ProbeProtocol":
        """The protocol of an entry that fits ``protocols.schema.yaml``.

        Parameters
        ----------
        name, entry
            Of the protocol.
        probe
            Section ``probe`` of the config: repetitions, folds and seed of an entry that names none. Without it they
            are the published ones.
        """
        drawn = {key: probe[key] for key in CROSS_VALIDATION} if probe else {}
        training = frozen({**drawn, **entry.get("training", {})})
        switches = Switches.unlike_published(entry.get("switches", {}))
        return cls(name=name, title=entry["title"], switches=switches, **training)

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

    def classifier_of(self, task: Mapping[str, Any]) -> str:
        """The probe of a task: the protocol's own, the leaked hidden layer, or what the task's entry says."""
        leaked = self.switches.leak_hidden_dims and task.get("leaked_hidden_layer", False)
        return self.classifier or ("mlp" if leaked else str(task["classifier"]))

    def changes(self, task: Mapping[str, Any] | None = None) -> dict[str, dict[str, Any]]:
        """Settings of training that are not the published ones: the scores are then not comparable.

        Parameters
        ----------
        task
            Entry of the task that is probed: its classifier decides which settings matter. None for a probe of features
            alone.

        Returns
        -------
        dict
            Name → ``{"here": value, "published": value}``.
        """
        changed = {
            key: {"here": _as_json(getattr(self, key)), "published": _as_json(getattr(PUBLISHED, key))}
            for key in TRAINING_KEYS
            if key != "classifier" and getattr(self, key) != getattr(PUBLISHED, key)
        }
        if task is not None and self.classifier_of(task) != "mlp":
            changed.pop("hidden_width", None)
        if task is not None and self.classifier not in (None, task["classifier"]):
            changed["classifier"] = {"here": self.classifier, "published": task["classifier"]}
        return changed

    def about(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """What the score of a task says of its protocol, given the task's entry."""
        return {"name": self.name, "switches": self.switches.changes(), "changed": self.changes(task)}

    def job_settings(
        self, task: Mapping[str, Any], *, lazy: bool, kernel: str = "numpy", device: str = "cpu"
    ) -> dict[str, Any]:
        """What decides the folds of a task, as `ProbeDesign.of_job` reads it; what cannot matter is left out.

        What is as published is left out too, so that nothing of a published fold ever changes by a new setting.

        Parameters
        ----------
        task
            Its entry.
        lazy
            Whether the encoder is fitted inside each fold.
        kernel, device
            See `ProbeDesign`.
        """
        switches: dict[str, SwitchValue] = {
            name: value for name, value in self.switches.changes().items() if name in PROBE_SWITCHES
        }
        if not (lazy and task["layout"] == "alternatives"):
            switches.pop("lazy_sep_layout", None)
        if not names_documents(task):
            switches.pop("group_folds", None)
        training = {
            key: change["here"]
            for key, change in self.changes(task).items()
            if key not in (*CROSS_VALIDATION, "classifier")
        }
        classifier = self.classifier_of(task)
        # only logistic probes of dense features on a processor have a choice
        compiled = kernel != "numpy" and classifier == "logistic" and not lazy and device == "cpu"
        return {
            "protocol": self.name,
            **self.cross_validation,
            "metric": task["metric"],
            "classifier": classifier,
            **({"switches": switches} if switches else {}),
            **({"training": training} if training else {}),
            **({"kernel": kernel} if compiled else {}),
            **({"device": device} if device != "cpu" else {}),
        }


# what the section `training` of a protocol may hold
TRAINING_KEYS = tuple(
    item.name for item in fields(ProbeProtocol) if item.name not in ("switches", "name", "title")
)
PUBLISHED = ProbeProtocol()


def names_documents(task: Mapping[str, Any]) -> bool:
    """Whether the entry of a task says which document a row comes from."""
    return "group" in task["reader"]


def frozen(training: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of training from YAML or JSON, as fields of a `ProbeProtocol`."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in training.items()}


def _as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
