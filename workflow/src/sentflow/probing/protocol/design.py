"""What is trained in every fold of a task: read from the settings of a job, handed down to the training."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sentflow.probing.protocol.settings import MLP, REGULARISED, ProbeProtocol, frozen
from sentflow.probing.protocol.switches import Switches, SwitchValue

# What trains on anything but a processor. By name, not imported: its code counts in the digests of those jobs alone.
ACCELERATOR = "sentflow.probing.accelerator.together"
# What fits regularised probes, likewise
REGULARISED_PROBES = "sentflow.probing.training.regularised"


@dataclass(frozen=True)
class ProbeDesign:
    """The probe of a task.

    Attributes
    ----------
    metric
        See `published_metric`.
    n_classes
        Classes of the task.
    hidden
        Units of the hidden layer; None for a probe without one.
    protocol
        Grid, epochs, early stopping, draws.
    device
        Torch device; on anything but ``"cpu"`` the package `sentflow.probing.accelerator` trains.
    folds_optional
        Whether documents that cannot be assigned to the folds leave these untested, which else is an error: nobody
        asked for this task under this protocol by name.
    """

    metric: str
    n_classes: int
    hidden: int | None
    protocol: ProbeProtocol
    device: str = "cpu"
    folds_optional: bool = False

    @classmethod
    def of_job(
        cls,
        *,
        protocol: str,
        repetitions: int,
        folds: int,
        seed: int,
        metric: str,
        classifier: str,
        n_classes: int,
        switches: Mapping[str, SwitchValue] | None = None,
        training: Mapping[str, Any] | None = None,
        device: str = "cpu",
        folds_optional: bool = False,
    ) -> "ProbeDesign":
        """The design that `catalog.job_settings` wrote, for a task with so many classes."""
        complete = ProbeProtocol(
            name=protocol,
            repetitions=repetitions,
            folds=folds,
            seed=seed,
            switches=Switches.unlike_published(switches or {}),
            classifier=REGULARISED if classifier == REGULARISED else None,
            **frozen(training or {}),
        )
        hidden = complete.hidden_width if classifier == MLP else None
        return cls(metric, n_classes, hidden, complete, device, folds_optional)

    @property
    def n_outputs(self) -> int:
        """1 for two classes, else the number of classes."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def regularised(self) -> bool:
        """Whether the probe is fitted by `REGULARISED_PROBES`, on a processor in any case."""
        return self.protocol.classifier == REGULARISED

    def on(self, device: str) -> "ProbeDesign":
        """The same probe, trained on another device."""
        return replace(self, device=device)
