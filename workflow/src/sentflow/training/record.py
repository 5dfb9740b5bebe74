"""What a training was: everything that decides the bytes of the encoder.

So it is the same whether the training was interrupted or not, and rules compare it. What changes from run to run is in
another file, see `sentflow.training.made`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sentflow.files.sealed import read_sealed, write_sealed
from sentflow.training.described import built

RANDOM_WEIGHTS = "random weights"


@dataclass(frozen=True)
class Start:
    """What a training began with.

    Attributes
    ----------
    name
        Of the entry.
    kind
        Of encoder, see `sentflow.encoders.kinds.table`; `RANDOM_WEIGHTS` where they were drawn, and only tokenizer and
        architecture are those of the entry.
    source
        As in the manifest of the start; of a model with random weights its ``configuration`` and, where its vocabulary
        was learnt from the data, ``tokenizer``.
    revision
        Commit of a model from the hub, else None.
    files_sha256
        One checksum over its files, see `sentflow.encoders.manifest.Manifest`.
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
        ``"texts"``, ``"pairs"``, ``"triplets"``, ``"labelled"`` or ``"spans"``, see `sentflow.training.data.forms`.
    held_out
        Of these rows, those that it was not trained on, see `sentflow.training.held_out`.
    """

    name: str
    sha256: str
    rows: int
    form: str
    held_out: int = 0


@dataclass(frozen=True)
class Teacher:
    """Whose vectors a distillation learnt.

    Attributes
    ----------
    name
        Of the entry.
    files_sha256
        As of `Start`; None for an encoder without files.
    vectors_sha256
        Of the file of its vectors of the training data.
    """

    name: str
    files_sha256: str | None
    vectors_sha256: str


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
    pooling
        How the encoder was read out in training; None is as the start's files say.
    start, data
        What it began with, and what it read.
    teacher
        None for recipes without one.
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
    pooling: str | None
    start: Start
    data: Data
    teacher: Teacher | None
    code: str
    versions: Mapping[str, str]
    steps: int
    tokens: int

    def write(self, path: Path) -> None:
        """Write ``record.json``."""
        write_sealed(path, asdict(self))

    @classmethod
    def read(cls, path: Path) -> "Record":
        """What `write` wrote.

        Raises
        ------
        DataError
            It is not the record of a training, or was changed; names the keys that are missing or unknown.
        """
        what = "the record of a training"
        found = read_sealed(path)
        parts: dict[str, type[Start] | type[Data] | type[Teacher]] = {
            "start": Start,
            "data": Data,
            "teacher": Teacher,
        }
        for name, kind in parts.items():
            if isinstance(found.get(name), dict):
                found[name] = built(kind, found[name], f"{what}, {name}")
        return built(Record, found, what)
