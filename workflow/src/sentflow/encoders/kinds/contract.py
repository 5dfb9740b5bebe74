"""What the module of a kind offers, and what it is given.

An encoder is a module that `sentflow.encoders.kinds.table` names. If its vectors do not depend on a fold, it has the
class `Settings` and a function `load`; if it is fitted inside each fold, a function `load_fitted`; if it compares two
texts, `Settings` and a function `load_pairs`; if it weighs terms, `Settings` and a function `load_sparse`. The module
that fetches it has a function `fetch`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.protocol import Batch, Encoder
from sentflow.encoders.roles import TEXT

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Surroundings:
    """What an encoder is given besides manifest and settings; only role and task can change a vector."""

    manifest_folder: Path = Path()  # where the manifest lies; fetched weights are beside it
    threads: int = 1  # of the processor
    # connection: how a service is reached: the connection keys of an entry
    connection: Mapping[str, Any] = field(default_factory=dict)
    devices: tuple[str, ...] = ()  # where a neural model computes; empty is the best there is
    timeout_seconds: float | None = None  # what a call of a user's own class may take; None is no limit
    # role, task: of the texts that an encoder with batches of its own is given
    role: str = TEXT
    task: str | None = None


class EncoderModule(Protocol):
    """The module of a kind whose vectors do not depend on the fold."""

    Settings: type[EncoderSettings]

    def load(self, manifest: Manifest, settings: Any, around: Surroundings) -> Encoder:
        """The encoder that a manifest describes; `settings` are of the module's own class.

        Raises
        ------
        ConfigError
            The settings do not fit the model.
        DataError
            The files are no longer those of the manifest.
        """
        ...


class FittedModule(Protocol):
    """The module of a kind that is fitted inside each fold."""

    def load_fitted(self, manifest: Manifest, *, task: str, timeout_seconds: float | None) -> Any:
        """The encoder that a manifest describes, for a task.

        It has ``fit`` and ``transform`` as `sentflow.probing.features.LazyEncoder`; or ``start`` and ``embed``, where a
        user's class makes the features of rows.

        Raises
        ------
        ConfigError
            Its settings are wrong.
        """
        ...


class PairEncoder(Protocol):
    """Compares two texts."""

    truncated_pairs: int

    def scores(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        """(n,) float32 of n pairs, higher where the second text answers the first better; counts the pairs it cuts.

        Raises
        ------
        DataError
            A score is not a finite number.
        """
        ...


class PairModule(Protocol):
    """The module of a kind that compares two texts."""

    Settings: type[EncoderSettings]

    def load_pairs(self, manifest: Manifest, settings: Any, around: Surroundings) -> PairEncoder:
        """The encoder that a manifest describes; `settings` are of the module's own class.

        Raises
        ------
        ConfigError
            The settings do not fit the model.
        DataError
            The files are no longer those of the manifest.
        """
        ...


class SparseEncoder(Protocol):
    """Texts to weights of terms; it promises what `Encoder` and `BatchEncoder` do.

    A kind that gives vectors of terms, too, has `sentflow.encoders.vectors.terms.TermEmbeddings` in the place of CSR.
    """

    dimension: int  # size of the vocabulary
    vocabulary_sha256: str  # of its terms in their order: equal ones number terms alike

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> "csr_array":
        """(n, dimension) float32 weights of the terms of n texts, none below 0."""
        ...

    def plan(self, texts: Sequence[str]) -> list[Batch]: ...

    def encode_batches(self, texts: Sequence[str], batches: Iterable[Batch]) -> "Iterator[csr_array]":
        """The weights of each batch, (k, dimension) float32, in the order of the batches."""
        ...


class SparseModule(Protocol):
    """The module of a kind that weighs terms."""

    Settings: type[EncoderSettings]

    def load_sparse(self, manifest: Manifest, settings: Any, around: Surroundings) -> SparseEncoder: ...


class FetchModule(Protocol):
    """Obtains the files of a kind and describes them."""

    def fetch(self, entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
        """The manifest of an entry.

        Parameters
        ----------
        entry
            Its fetch keys.
        folder
            Of the manifest; weights that are fetched go into ``weights/`` there.
        mirrors
            Folders or base URLs, tried first.

        Raises
        ------
        ConfigError
            The model cannot be read safely, or what the entry names does not exist.
        DataError
            The model cannot be obtained, or a file has another checksum.
        """
        ...
