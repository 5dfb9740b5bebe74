"""A kind of encoder: a class in a file below ``kinds/``, which jobs of that kind alone import, by its name."""

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

    model_files: Path | None = None  # archive with its files, see `sentflow.encoders.manifest.checked_folder`
    threads: int = 1  # of the processor
    # connection: how a service is reached: the connection keys of an entry
    connection: Mapping[str, Any] = field(default_factory=dict)
    devices: tuple[str, ...] = ()  # where a neural model computes; empty is the best there is
    timeout_seconds: float | None = None  # what a call of a user's own class may take; None is no limit
    task: str | None = None  # whose folds an encoder is fitted in


class Encoder:
    """A kind of encoder, with `encode` or what else its ``output`` in `sentflow.encoders.settings` says.

    That is ``fit`` and ``transform`` (`sentflow.probing.rows.LazyEncoder`), or ``scores``. A text's vector depends on
    the text, the role and the task alone, up to the last bits of float32 arithmetic; equal calls give equal bytes.

    `dimension`: width of the vectors. `device`: where they are computed. `reading`: what is read of the texts of the
    last `plan`; None where nobody can tell. `halved_batches`: how many the memory did not hold. `vocabulary_sha256`: of
    its terms in their order; None for an encoder without terms.
    """

    dimension: int
    device: str = "cpu"
    reading: Reading | None = None
    halved_batches: int = 0
    vocabulary_sha256: str | None = None

    @classmethod
    def load(cls, manifest: Manifest, settings: Any, context: Context) -> Self:
        """The encoder that a manifest describes; `settings` are the ``encoding`` of its kind.

        Raises ConfigError: the settings do not fit. Raises DataError: the files are not those of the manifest.
        """
        raise NotImplementedError

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> Any:
        """Vectors of n texts, none empty: (n, dimension) float32; weights of terms as the form of the encoder has them.

        `role`: what the texts are, such as ``"text"``, ``"query"``, ``"document"``. `task`: None if they belong to
        several.
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

    `settings`: what decides its vectors. `output`: what it must give, as `sentflow.encoders.settings` calls it; empty
    is anything. Raises ConfigError and DataError as `Encoder.load`.
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
