"""What a training leaves beside its weights: what it was, how it went on this machine, every step, held-out rows.

``record.json`` says everything that decides the bytes of the encoder, and rules compare it. What changes from run to
run is in ``made.json``, which costs and model cards read, and nothing that is computed.
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

    name: str  # of the entry
    # kind: of encoder; `RANDOM_WEIGHTS` where only tokenizer and architecture are those of the entry
    kind: str
    # source: as in the manifest; of random weights ``configuration`` and, if it was learnt, ``tokenizer``
    source: Mapping[str, Any] | None
    revision: str | None  # commit of a model from the hub, else null
    files_sha256: str | None  # one checksum over its files, see `sentflow.encoders.manifest.Manifest`


class Data(Settings):
    """What a training read."""

    name: str  # of the training data
    sha256: str  # of the table of rows
    rows: Int  # rows of the table
    form: str  # see `sentflow.training.data.forms`
    held_out: Int  # of these rows, those that it was not trained on, see `sentflow.training.loop`


class Teacher(Settings):
    """Whose vectors a distillation learnt."""

    name: str  # of the entry
    files_sha256: str | None  # as of `Start`; null for an encoder without files
    vectors_sha256: str  # of the file of its vectors of the training data


class Record(Settings):
    """What a training was: everything that decides its result."""

    model: str  # name of the trained encoder
    recipe: str  # see `sentflow.training.recipes.settings`
    recipe_settings: Mapping[str, Any]  # every setting of the recipe with its value
    # training: every setting of the loop with its value: steps, batch size, learning rate, precision and so on
    training: Mapping[str, Any]
    seed: Int  # of all draws
    pooling: str | None  # how the encoder was read out in training; null is as the start's files say
    start: Start
    data: Data
    teacher: Teacher | None  # null for recipes without one
    code: str  # digest of the code that trained, see `sentflow.flow.provenance`
    versions: Mapping[str, str]  # distribution → version, of the libraries that can change the result
    steps: Int  # updates of the weights that were made
    tokens: Int  # that were read in them, padding left out, each view counted

    def write(self, path: Path) -> None:
        """Write ``record.json``."""
        write_sealed(path, self.as_dict())

    @classmethod
    def read(cls, path: Path) -> "Record":
        """What `write` wrote. Raises DataError: it is not the record of a training, or was changed."""
        return _read(cls, read_sealed(path), path)


class Made(Settings):
    """How a training went: nothing of it decides the result's meaning, and it differs from machine to machine."""

    # resumed_at: steps after which it went on from a saved state, in order; empty for a training in one go
    resumed_at: Several[Int]
    # copies: of states and snapshots on the storage of the run, which are deleted when the training has ended
    copies: Several[str] = ()
    device: str  # ``"cpu"`` or ``"cuda"``
    device_name: str  # what the machine calls it
    precision: str  # as computed here: a machine without bfloat16 emulates it
    threads: Int  # of the processor
    seconds: Number  # of all runs of it together, saving and snapshots included
    tokens_per_second: Number  # over all steps
    memory_mb: Number  # peak of the process, in MiB; of the last run where it was resumed
    # device_memory_mb: peak that torch allocated on the accelerator, in MiB; null without one. Likewise
    device_memory_mb: Number | None = None

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
    # value: a mean over `n` hidden tokens, spans, rows or batches, as the measure says; NaN of none
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
