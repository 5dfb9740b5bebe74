"""What a training leaves beside its weights: what it was, how it went on this machine, every step, held-out rows.

``record.json`` says everything that decides the bytes of the encoder. So it is the same whether the training was
interrupted or not, and rules compare it. What changes from run to run is in ``made.json``: costs and model cards read
it, and nothing that is computed does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from pydantic import ValidationError

from sentflow.config.model import Int, Number, Settings, Several
from sentflow.errors import DataError
from sentflow.files.io import read_json, read_sealed, write_json, write_sealed
from sentflow.files.parquet import write_parquet

RANDOM_WEIGHTS = "random weights"
HISTORY = pa.schema(
    [
        ("step", pa.int64()),
        ("loss", pa.float64()),
        ("learning_rate", pa.float64()),
        ("gradient_norm", pa.float64()),
        ("tokens", pa.int64()),
    ]
)
_Model = TypeVar("_Model", bound=Settings)


class Start(Settings):
    """What a training began with."""

    name: str
    """Of the entry."""
    kind: str
    """Of encoder, see `sentflow.encoders.settings`; `RANDOM_WEIGHTS` where they were drawn, and only tokenizer and
    architecture are those of the entry.
    """
    source: Mapping[str, Any] | None
    """As in the manifest of the start; of a model with random weights its ``configuration`` and, where its vocabulary
    was learnt from the data, ``tokenizer``.
    """
    revision: str | None
    """Commit of a model from the hub, else null."""
    files_sha256: str | None
    """One checksum over its files, see `sentflow.encoders.manifest.Manifest`."""


class Data(Settings):
    """What a training read."""

    name: str
    """Of the training data."""
    sha256: str
    """Of the table of rows."""
    rows: Int
    """Rows of the table."""
    form: str
    """See `sentflow.training.data.forms`."""
    held_out: Int
    """Of these rows, those that it was not trained on, see `sentflow.training.loop`."""


class Teacher(Settings):
    """Whose vectors a distillation learnt."""

    name: str
    """Of the entry."""
    files_sha256: str | None
    """As of `Start`; null for an encoder without files."""
    vectors_sha256: str
    """Of the file of its vectors of the training data."""


class Record(Settings):
    """What a training was: everything that decides its result."""

    model: str
    """Name of the trained encoder."""
    recipe: str
    """See `sentflow.training.recipes.settings`."""
    recipe_settings: Mapping[str, Any]
    """Every setting of the recipe with its value."""
    training: Mapping[str, Any]
    """Every setting of the loop with its value: steps, batch size, learning rate, precision and so on."""
    seed: Int
    """Of all draws."""
    pooling: str | None
    """How the encoder was read out in training; null is as the start's files say."""
    start: Start
    data: Data
    teacher: Teacher | None
    """Null for recipes without one."""
    code: str
    """Digest of the code that trained, see `sentflow.flow.provenance`."""
    versions: Mapping[str, str]
    """Distribution → version, of the libraries that can change the result."""
    steps: Int
    """Updates of the weights that were made."""
    tokens: Int
    """That were read in them, padding left out, each view counted."""

    def write(self, path: Path) -> None:
        """Write ``record.json``."""
        write_sealed(path, self.as_dict())

    @classmethod
    def read(cls, path: Path) -> "Record":
        """What `write` wrote. Raises DataError: it is not the record of a training, or was changed."""
        return _read(cls, read_sealed(path), path)


class Made(Settings):
    """How a training went: nothing of it decides the result's meaning, and it differs from machine to machine."""

    resumed_at: Several[Int]
    """Steps after which it went on from a saved state, in order; empty for a training in one go."""
    device: str
    """``"cpu"`` or ``"cuda"``."""
    device_name: str
    """What the machine calls it."""
    precision: str
    """As computed here: a machine without bfloat16 emulates it."""
    threads: Int
    """Of the processor."""
    seconds: Number
    """Of all runs of it together, saving and snapshots included."""
    tokens_per_second: Number
    """Over all steps."""
    memory_mb: Number
    """Peak of the process, in MiB; of the last run where it was resumed."""
    device_memory_mb: Number | None = None
    """Peak that torch allocated on the accelerator, in MiB; null without one. Likewise."""

    def write(self, path: Path) -> None:
        """Write ``made.json``."""
        write_json(path, self.as_dict())

    @classmethod
    def read(cls, path: Path) -> "Made":
        """What `write` wrote. Raises DataError: it does not say how a training was made."""
        return _read(cls, read_json(path), path)


@dataclass(frozen=True)
class HeldOutRow:
    """A row of ``held-out.parquet``."""

    step: int  # steps that were done
    measure: str
    # value: a mean over `n` things: hidden tokens, spans, rows or batches, as the measure says; NaN where there are
    # none
    value: float
    n: int


def write_history(path: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write the rows of `sentflow.training.loop.Progress.history` as Parquet."""
    columns = {name: [row[name] for row in rows] for name in HISTORY.names}
    write_parquet(path, pa.table(columns, schema=HISTORY))


def _read(kind: type[_Model], value: Any, path: Path) -> _Model:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        places = ", ".join(".".join(map(str, one["loc"])) or one["msg"] for one in error.errors())
        raise DataError(
            f"{path} is not what a training writes ({places}). Delete it and train again."
        ) from error
