"""What is trained in every fold of a task, handed down to the training."""

from dataclasses import dataclass, replace

from sentflow.probing.settings import MLP, REGULARISED, ProbeProtocol, ProbeSettings

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
    """

    metric: str
    n_classes: int
    hidden: int | None
    protocol: ProbeProtocol
    device: str = "cpu"

    @classmethod
    def of(cls, settings: ProbeSettings, n_classes: int) -> "ProbeDesign":
        """The design of a job for a task with so many classes."""
        protocol = settings.protocol
        hidden = protocol.hidden_width if protocol.classifier == MLP else None
        return cls(settings.metric, n_classes, hidden, protocol, settings.device)

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
