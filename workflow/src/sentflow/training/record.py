"""What a training was (`Record`), and how it went on this machine (`Made`).

The record holds what decides the bytes of the encoder, so it is the same whether the training was interrupted or not;
rules compare it. What changes from run to run is in the other file, which only costs and model cards read.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from sentflow.errors import DataError
from sentflow.files.io import json_document, parse_json


@dataclass(frozen=True)
class Start:
    """What a training began with.

    Attributes
    ----------
    name
        Of the entry; empty where the weights were drawn at random.
    kind
        Of encoder, see `sentflow.encoders.kinds.table`.
    source
        As in the manifest of the start; the configuration of a model with random weights.
    revision
        Commit of a model from the hub, else None.
    files_sha256
        One checksum over its files, see `sentflow.encoders.manifest.Manifest`; None for random weights.
    """

    name: str
    kind: str
    source: Mapping[str, Any] | None
    revision: str | None
    files_sha256: str | None


@dataclass(frozen=True)
class Data:
    """What a training read.

    Attributes
    ----------
    name
        Of the named texts or pairs.
    sha256
        Of the table of rows.
    rows
        Rows of the table.
    form
        ``"texts"``, ``"pairs"``, ``"triplets"`` or ``"labelled"``, see `sentflow.training.recipes.table`.
    """

    name: str
    sha256: str
    rows: int
    form: str


@dataclass(frozen=True)
class Record:
    """What a training was: everything that decides its result.

    Attributes
    ----------
    model
        Name of the trained encoder.
    recipe
        See `sentflow.training.recipes.table`.
    recipe_settings
        Every setting of the recipe with its value.
    training
        Every setting of the loop with its value: steps, batch size, learning rate, precision and so on.
    seed
        Of all draws.
    start, data
        What it began with, and what it read.
    code
        Digest of the code that trained, see `sentflow.graph.provenance`.
    versions
        Distribution → version, of the libraries that can change the result.
    steps, tokens
        Updates of the weights that were made, fewer than asked for where training stopped early; tokens that were
        read in them, padding left out, each view counted.
    """

    model: str
    recipe: str
    recipe_settings: Mapping[str, Any]
    training: Mapping[str, Any]
    seed: int
    start: Start
    data: Data
    code: str
    versions: Mapping[str, str]
    steps: int
    tokens: int

    def to_json(self) -> str:
        """The text of ``record.json``."""
        return json_document(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> "Record":
        """What `to_json` wrote.

        Raises
        ------
        DataError
            It is not the record of a training; names the keys that are missing or unknown.
        """
        what = "the record of a training"
        found = _map_of(text, what)
        if isinstance(found.get("start"), dict):
            found["start"] = _built(Start, found["start"], f"{what}, start")
        if isinstance(found.get("data"), dict):
            found["data"] = _built(Data, found["data"], f"{what}, data")
        return _built(Record, found, what)

    @classmethod
    def read(cls, path: Path) -> "Record":
        """The record in a file; see `from_json`."""
        return cls.from_json(_text_of(path))


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
        found = _map_of(text, what)
        return _built(Made, {**found, "resumed_at": tuple(found.get("resumed_at", ()))}, what)

    @classmethod
    def read(cls, path: Path) -> "Made":
        """What is in a file; see `from_json`."""
        return cls.from_json(_text_of(path))


_Built = TypeVar("_Built", Start, Data, Record, Made)


def _built(kind: type[_Built], found: Mapping[str, Any], what: str) -> _Built:
    names = [field.name for field in fields(kind)]
    unknown = sorted(set(found) - set(names))
    try:
        if not unknown:
            return kind(**found)
        problem = f"{', '.join(unknown)} in it is unknown"
    except TypeError as error:
        problem = str(error)
    raise DataError(f"{what} cannot be read: {problem}. It must hold: {', '.join(names)}. Train again.")


def _map_of(text: str | bytes, what: str) -> dict[str, Any]:
    try:
        found = parse_json(text)
    except ValueError as error:
        raise DataError(f"{what} cannot be read: {error}. Train again.") from error
    if not isinstance(found, dict):
        raise DataError(f"{what} cannot be read: it is no map. Train again.")
    return found


def _text_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(
            f"{path} is missing or unreadable ({error}). Delete it and run snakemake again."
        ) from error
