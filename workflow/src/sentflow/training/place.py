"""Where a training is computed, and where it keeps what it needs to go on."""

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """Where a training is computed and kept; none of it is a setting of the training.

    Attributes
    ----------
    state
        Folder of its states and of the snapshots that it has made.
    devices
        One for each process that trains; None is the best there is.
    threads
        Of the processor; another number may change the last bits of the weights.
    save_seconds
        Between two states on disk.
    """

    state: Path
    devices: tuple[str | None, ...] = (None,)
    threads: int = 1
    save_seconds: float = 300.0

    @property
    def snapshots(self) -> Path:
        """Where the encoder is saved, until the training has ended: in folders ``step-000020``."""
        return self.state / "snapshots"

    def clear_snapshots(self, steps: Collection[int]) -> None:
        """Delete snapshots but those after some steps: a training of other settings, broken off, may have left them."""
        for folder in self.snapshots.glob("step-*"):
            if int(folder.name.removeprefix("step-")) not in steps:
                shutil.rmtree(folder, ignore_errors=True)
