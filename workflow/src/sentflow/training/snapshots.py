"""A snapshot of a training is an encoder: its name and its entry. Standard library only: the Snakefile reads it."""

from collections.abc import Mapping
from typing import Any

from sentflow.training.settings import TrainingSettings

SNAPSHOT = "/step-"
# Keys of an entry that say how a trained encoder was made and not how it is used
_OF_TRAINING = frozenset(
    {"kind", "recipe", "start", "data", "seed", "settings", "training", "training_pooling", "selection"}
)


def snapshot_name(model: str, step: int) -> str:
    """Of the encoder that a training had made after a step, e.g. ``simcse/step-000020``."""
    return f"{model}{SNAPSHOT}{step:06d}"


def snapshot_steps(training: TrainingSettings, n_steps: int) -> list[int]:
    """The steps after which an encoder is saved: 0 and every so many where asked for, and always the last."""
    every = training.snapshot_every
    return [*range(0, n_steps, every), n_steps] if every else [n_steps]


def scored_steps(entry: Mapping[str, Any]) -> list[int]:
    """The steps after which a trained encoder is scored on development pairs; none where nothing is chosen by them."""
    training = TrainingSettings.model_validate(entry["training"])
    if "pairs" not in entry.get("selection", {}) or training.steps is None:
        return []
    return snapshot_steps(training, training.steps)


def snapshot_entries(model: str, entry: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Name → entry of the snapshots of a trained encoder that are scored."""
    used = {key: value for key, value in entry.items() if key not in _OF_TRAINING}
    return {
        snapshot_name(model, step): {
            **used,
            "kind": "sentence-transformers",
            "source": {"folder": f"results/training/{model}/snapshots/step-{step:06d}"},
        }
        for step in scored_steps(entry)
    }
