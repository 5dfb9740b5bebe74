"""Protocols by name: from an entry of the catalog or the config to the settings of jobs.

Standard library only: the Snakefile reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from sentflow.probing.protocol.settings import PUBLISHED, ProbeProtocol
from sentflow.probing.protocol.switches import PROBE_SWITCHES, Switches, SwitchValue

PUBLISHED_NAME = "published"
CROSS_VALIDATION = ("repetitions", "folds", "seed")
# every number of a ProbeProtocol, and the kind of probe
TRAINING_KEYS = (
    *(field.name for field in fields(ProbeProtocol) if field.name != "switches"),
    "classifier",
)


@dataclass(frozen=True)
class NamedProtocol:
    """A protocol as an experiment names it.

    Attributes
    ----------
    name, title
        For paths, and for people.
    switches
        Which defects of the published evaluator are kept.
    training
        Keys of `TRAINING_KEYS` that the entry sets itself; ``classifier`` then holds for every task.
    """

    name: str
    title: str
    switches: Switches
    training: Mapping[str, Any]

    @classmethod
    def from_entry(cls, name: str, entry: Mapping[str, Any]) -> "NamedProtocol":
        """The protocol of an entry that fits ``protocols.schema.yaml``."""
        switches = Switches.unlike_published(entry.get("switches", {}))
        return cls(name, entry["title"], switches, dict(entry.get("training", {})))

    def cross_validation(self, probe: Mapping[str, Any]) -> dict[str, int]:
        """Repetitions, folds and seed: the entry's own, else those of the config's section ``probe``."""
        return {key: self.training.get(key, probe[key]) for key in CROSS_VALIDATION}

    def with_training(self, training: Mapping[str, Any]) -> "NamedProtocol":
        """The protocol with these settings of training over its own."""
        return replace(self, training={**self.training, **training})

    def complete(self) -> ProbeProtocol:
        """Every number and switch of the probes; the classifier is not among them, see `classifier`."""
        numbers: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in self.training.items()
            if key != "classifier"
        }
        return replace(PUBLISHED, switches=self.switches, **numbers)

    def number(self, key: str) -> Any:
        """A setting of training that does not depend on the task."""
        return self.training.get(key, _as_json(getattr(PUBLISHED, key)))

    def classifier(self, task: Mapping[str, Any]) -> str:
        """The probe of a task: the protocol's own, the leaked hidden layer, or what the task says."""
        leaked = self.switches.leak_hidden_dims and task.get("leaked_hidden_layer", False)
        return str(self.training.get("classifier", "mlp" if leaked else task["classifier"]))

    def probe_settings(
        self, task: Mapping[str, Any], probe: Mapping[str, Any], *, lazy: bool
    ) -> dict[str, Any]:
        """What decides the folds of a task, see `ProbeSettings`; switches that cannot matter are left out.

        Parameters
        ----------
        task
            Entry of the task.
        probe
            Section ``probe`` of the config.
        lazy
            Whether the encoder is fitted inside each fold.
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
            for key, change in self.changed_settings(task, probe).items()
            if key not in (*CROSS_VALIDATION, "classifier")
        }
        return {
            "protocol": self.name,
            **self.cross_validation(probe),
            "metric": task["metric"],
            "classifier": self.classifier(task),
            # absent where they are as published, so that nothing of a published fold ever changes by a new switch
            **({"switches": switches} if switches else {}),
            **({"training": training} if training else {}),
            # only logistic probes of dense features have a choice
            **({"kernel": "numba"} if self._is_compiled(task, probe, lazy=lazy) else {}),
        }

    def _is_compiled(self, task: Mapping[str, Any], probe: Mapping[str, Any], *, lazy: bool) -> bool:
        return probe.get("kernel") == "numba" and self.classifier(task) == "logistic" and not lazy

    def changed_settings(
        self, task: Mapping[str, Any], probe: Mapping[str, Any]
    ) -> dict[str, dict[str, Any]]:
        """Settings of training that are not the published ones: the scores are then not comparable.

        Returns
        -------
        dict
            Name → ``{"here": value, "published": value}``.
        """
        here = {**self.training, **self.cross_validation(probe)}
        here.pop("classifier", None)
        if self.classifier(task) != "mlp":
            here.pop("hidden_width", None)
        published = {key: _as_json(getattr(PUBLISHED, key)) for key in here}
        if "classifier" in self.training:
            here["classifier"], published["classifier"] = self.training["classifier"], task["classifier"]
        return {
            key: {"here": here[key], "published": published[key]}
            for key in TRAINING_KEYS
            if key in here and here[key] != published[key]
        }


def names_documents(task: Mapping[str, Any]) -> bool:
    """Whether the entry of a task says which document a row comes from."""
    return "group" in task["reader"]


def _as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
