"""How any recipe is trained: steps, batches, optimiser, precision. Standard library only: the Snakefile imports it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from sentflow.errors import ConfigError
from sentflow.training.options.table import OPTIONS

KEEP, DROP = "keep", "drop"
LINEAR, CONSTANT, COSINE = "linear", "constant", "cosine"
FLOAT32, BFLOAT16, FLOAT16 = "float32", "bfloat16-autocast", "float16-autocast"


@dataclass(frozen=True)
class TrainingSettings:
    """Settings under ``training`` of an entry of kind trained.

    Attributes
    ----------
    learning_rate
        Of the peak.
    steps, epochs
        How long: steps of the optimiser, or passes over the rows; one of them.
    batch_size
        Rows of a batch.
    accumulate
        Batches whose gradients are averaged to one step.
    max_tokens
        Texts are cut after this many tokens, special ones included.
    schedule
        After the warm-up: ``"linear"`` to 0, ``"cosine"`` to 0, or ``"constant"``.
    warm_up
        Share of the steps in which the rate rises linearly from 0, in [0, 1].
    weight_decay
        Not of biases and normalisations (`sentflow.training.optimiser`).
    betas, epsilon
        Of AdamW.
    bias_correction
        Whether AdamW corrects its moments; False is the AdamW of ConSERT, which does not and decays after the step.
    clip
        Largest norm of the gradient; None is no limit.
    precision
        ``"float32"``; ``"bfloat16-autocast"``; ``"float16-autocast"`` with a scaler of the loss, on GPUs only.
    last_batch
        Whether the rows that do not fill the last batch of an epoch are kept or dropped. The job drops those that its
        recipe has nothing to compare with.
    snapshots
        Every so many steps the encoder is saved and scored, and before the first; None is the last step alone.
    chunk_tokens
        A view is computed in chunks of rows of about equal length, of at most so many tokens with padding.
    gradient_cache
        Whether a chunk's graph is thrown away and computed once more, so that memory does not grow with the batch.
    held_out
        Share of the rows that are never trained on and are measured at each snapshot, in (0, 1), rounded down to whole
        batches; None is no row.
    matryoshka, lora
        Settings of options, see `sentflow.training.options`; None is without.
    """

    learning_rate: float
    steps: int | None = None
    epochs: float | None = None
    batch_size: int = 64
    accumulate: int = 1
    max_tokens: int = 128
    schedule: str = LINEAR
    warm_up: float = 0.0
    weight_decay: float = 0.0
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    bias_correction: bool = True
    clip: float | None = 1.0
    precision: str = FLOAT32
    last_batch: str = KEEP
    snapshots: int | None = None
    chunk_tokens: int = 512
    gradient_cache: bool = False
    held_out: float | None = None
    matryoshka: Mapping[str, Any] | None = None
    lora: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "TrainingSettings":
        """From the map of an entry that fits its schema.

        Raises
        ------
        ConfigError
            A key is unknown, or neither or both of ``steps`` and ``epochs`` are given.
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(found) - known):
            raise ConfigError(
                f"training.{unknown[0]}: there is no such key. Known: {', '.join(sorted(known))}."
            )
        if (found.get("steps") is None) == (found.get("epochs") is None):
            raise ConfigError("training: write either steps or epochs, and not both.")
        if "learning_rate" not in found:
            raise ConfigError("training: the key learning_rate is missing.")
        values = dict(found)
        if "betas" in values:
            values["betas"] = tuple(values["betas"])
        return cls(**values)

    def snapshot_steps(self, n_steps: int) -> list[int]:
        """The steps after which the encoder is saved: 0 and every so many where asked for, and always the last."""
        return [*range(0, n_steps, self.snapshots), n_steps] if self.snapshots else [n_steps]

    @property
    def options(self) -> dict[str, Mapping[str, Any]]:
        """The options that are taken, see `sentflow.training.options.table`."""
        found = {name: getattr(self, name) for name in OPTIONS}
        return {name: settings for name, settings in found.items() if settings is not None}

    def as_dict(self) -> dict[str, Any]:
        """As JSON writes it."""
        return asdict(self) | {"betas": list(self.betas)}
