"""What is trained in every fold of a task, handed down to the training."""

from dataclasses import dataclass

from sentflow.probing.settings import MLP, REGULARISED, ProbeProtocol, ProbeSettings

# What fits regularised probes. By name, not imported: its code counts in the digests of those jobs alone.
REGULARISED_PROBES = "sentflow.probing.training.regularised"


@dataclass(frozen=True)
class ProbeDesign:
    """The probe of a task."""

    metric: str
    n_classes: int  # classes of the task
    hidden: int | None  # units of the hidden layer; None for a probe without one
    protocol: ProbeProtocol  # grid, epochs, early stopping, draws

    @classmethod
    def of(cls, settings: ProbeSettings, n_classes: int) -> "ProbeDesign":
        """The design of a job for a task with so many classes."""
        protocol = settings.protocol
        hidden = protocol.hidden_width if protocol.classifier == MLP else None
        return cls(settings.metric, n_classes, hidden, protocol)

    @property
    def n_outputs(self) -> int:
        """1 for two classes, else the number of classes."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def regularised(self) -> bool:
        """Whether the probe is fitted by `REGULARISED_PROBES`."""
        return self.protocol.classifier == REGULARISED
