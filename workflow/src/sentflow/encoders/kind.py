"""What a kind of encoder is: a class in a file of its own below ``kinds/``, which is imported by its name.

Beside the class, the file may have a function ``describe``, which says what a manifest holds, and loads no model. Both
are found through `sentflow.encoders.settings.KINDS`, so that a job depends on the file of its own kind alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from sentflow.config.model import Settings, refuse_wrong
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.settings import KINDS
from sentflow.encoders.vectors.storage import Batch, Reading
from sentflow.errors import ConfigError

_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True)
class Context:
    """What an encoder is given beside manifest and settings; no vector of a fixed encoder depends on it."""

    manifest_folder: Path = Path()  # where the manifest lies; fetched weights are beside it
    threads: int = 1  # of the processor
    # connection: how a service is reached: the connection keys of an entry
    connection: Mapping[str, Any] = field(default_factory=dict)
    devices: tuple[str, ...] = ()  # where a neural model computes; empty is the best there is
    timeout_seconds: float | None = None  # what a call of a user's own class may take; None is no limit
    task: str | None = None  # whose folds an encoder is fitted in


class Encoder:
    """A kind of encoder.

    It has `encode`, or what else its ``output`` in `sentflow.encoders.settings` says: ``fit`` and ``transform``, see
    `sentflow.probing.features.LazyEncoder`, or ``scores``.

    Promises: a text's vector depends on the text, the role and the task alone, not on its neighbours (up to the last
    bits of float32 arithmetic); equal calls give equal bytes.

    `dimension`: Width of the vectors. `device`: Where they are computed. `reading`: What is read of the texts of the
    last `plan`; None where nobody can tell. `halved_batches`: How many batches the memory did not hold, which were
    computed in halves. `vocabulary_sha256`: Of its terms in their order: equal ones number terms alike. None for an
    encoder without terms.
    """

    dimension: int
    device: str = "cpu"
    reading: Reading | None = None
    halved_batches: int = 0
    vocabulary_sha256: str | None = None

    @classmethod
    def load(cls, manifest: Manifest, settings: Any, context: Context) -> Self:
        """The encoder that a manifest describes; `settings` are the ``encoding`` of its kind.

        Raises ConfigError: the settings do not fit the model. Raises DataError: the files are no longer those of the
        manifest.
        """
        raise NotImplementedError

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> Any:
        """Vectors of texts.

        `texts`: n texts, none empty. `role`: What the texts are to the caller, e.g. ``"text"``, ``"query"``,
        ``"document"``. `task`: The task they belong to; None if they belong to several. Returns ndarray: (n, dimension)
        float32. Of an encoder that weighs terms a ``csr_array``, or `sentflow.encoders.vectors.sparse.TermEmbeddings`.
        """
        raise NotImplementedError

    def plan(self, texts: Sequence[str], *, role: str, task: str | None) -> list[Batch]:  # noqa: ARG002
        """Every row in exactly one batch, between which a long run is saved; depends on what is given alone."""
        starts = range(0, len(texts), _ROWS_AT_A_TIME)
        chunks = [np.arange(start, min(start + _ROWS_AT_A_TIME, len(texts))) for start in starts]
        return [Batch(rows=rows, cost=len(rows)) for rows in chunks]

    def encode_batches(
        self, texts: Sequence[str], batches: Iterable[Batch], *, role: str, task: str | None
    ) -> Iterator[Any]:
        """The vectors of each batch, (k, dimension) float32, in the order of the batches."""
        for batch in batches:
            yield self.encode([texts[row] for row in batch.rows], role=role, task=task)


_Class = TypeVar("_Class", bound=type[Encoder])
_ENCODERS: dict[str, type[Encoder]] = {}


def kind(*names: str) -> Callable[[_Class], _Class]:
    """Make a class the encoder of kinds of `sentflow.encoders.settings.KINDS`."""

    def mark(encoder: _Class) -> _Class:
        _ENCODERS.update(dict.fromkeys(names, encoder))
        return encoder

    return mark


def load_encoder(
    manifest: Manifest,
    settings: Settings | Mapping[str, Any],
    context: Context,
    *,
    output: tuple[str, ...] = (),
) -> Any:
    """The encoder that a manifest describes.

    `settings`: The keys of its entry that decide its vectors. `output`: What it must give, of the words in
    `sentflow.encoders.settings`; empty is anything. Raises ConfigError: it gives something else, or the settings do not
    fit the model. Raises DataError: the files are no longer those of the manifest.
    """
    about = KINDS[manifest.kind]
    if output and about.output not in output:
        raise ConfigError(
            f"an encoder of kind {manifest.kind} gives {about.output}, and {' or '.join(output)} is needed here."
        )
    import_module(about.module())
    read = (
        settings
        if isinstance(settings, Settings)
        else refuse_wrong(about.encoding, settings, where="settings")
    )
    return _ENCODERS[manifest.kind].load(manifest, read, context)
