"""How a training went on this machine. Costs and model cards read it; nothing that is computed does."""

from dataclasses import asdict, dataclass
from pathlib import Path

from sentflow.files.io import json_document
from sentflow.training.described import built, map_of, text_of


@dataclass(frozen=True)
class Made:
    """How a training went: nothing of it decides the result's meaning, and it differs from machine to machine.

    Attributes
    ----------
    resumed_at
        Steps after which it went on from a saved state, in order; empty for a training in one go.
    device, device_name
        ``"cpu"`` or ``"cuda"``, and what the machine calls it.
    precision
        As computed here: a machine without bfloat16 emulates it.
    threads
        Of the processor.
    seconds
        Of all runs of it together, saving and snapshots included.
    tokens_per_second
        Over all steps.
    memory_mb
        Peak of the process, in MiB; of the last run where it was resumed.
    device_memory_mb
        Peak that torch allocated on the accelerator, in MiB; None without one. Likewise.
    energy_joules
        What the processors of the whole machine took, whatever else ran there; None where the machine does not tell.
        Likewise.
    """

    resumed_at: tuple[int, ...]
    device: str
    device_name: str
    precision: str
    threads: int
    seconds: float
    tokens_per_second: float
    memory_mb: float
    device_memory_mb: float | None = None
    energy_joules: float | None = None

    def to_json(self) -> str:
        """The text of ``made.json``."""
        return json_document(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> "Made":
        """What `to_json` wrote.

        Raises
        ------
        DataError
            It does not say how a training was made; names the keys that are missing or unknown.
        """
        what = "how a training was made"
        found = map_of(text, what)
        return built(Made, {**found, "resumed_at": tuple(found.get("resumed_at", ()))}, what)

    @classmethod
    def read(cls, path: Path) -> "Made":
        """What is in a file; see `from_json`."""
        return cls.from_json(text_of(path))
