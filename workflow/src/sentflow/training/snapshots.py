"""A snapshot of a training is an encoder: its name and its entry. Standard library only: the Snakefile reads it."""

import math
from collections.abc import Mapping
from typing import Any

from sentflow.training.settings import HELD_OUT, TrainingSettings

SNAPSHOT = "/step-"
# Keys of an entry that say how a trained encoder was made and not how it is used
_OF_TRAINING = frozenset(
    {"kind", "recipe", "start", "data", "seed", "settings", "training", "training_pooling", "selection"}
)


def snapshot_name(model: str, step: int) -> str:
    """Of the encoder that a training had made after a step, e.g. ``simcse/step-000020``."""
    return f"{model}{SNAPSHOT}{step:06d}"


def archive_name(step: int) -> str:
    """Of the file with the encoder after a step, e.g. ``step-000020.tar``."""
    return f"step-{step:06d}.tar"


def snapshot_steps(training: TrainingSettings, n_steps: int, n_batches: int = 0) -> list[int]:
    """The steps after which an encoder is saved: 0 and every so many where asked for, and always the last.

    `n_batches`: of an epoch, of trainings by epochs.
    """
    every = training.snapshot_every
    if isinstance(every, int):
        return [*range(0, n_steps, every), n_steps]
    epochs = training.epochs
    if every is None or epochs is None:
        return [n_steps]
    ends = (math.ceil(epoch * n_batches / training.accumulate) for epoch in range(math.ceil(epochs)))
    return list(dict.fromkeys([*ends, n_steps]))


def development_of(entry: Mapping[str, Any]) -> str:
    """The pair set or question set that snapshots of a trained encoder are scored on by jobs; empty for none."""
    selection = entry.get("selection", {})
    found: str = selection.get("questions", selection.get("pairs", ""))
    return "" if found == HELD_OUT else found


def choosing_questions(models: Mapping[str, Any]) -> dict[str, str]:
    """Trained encoder → the question set whose searches choose its snapshot, of those that name one."""
    selections = ((name, entry.get("selection", {})) for name, entry in models.items())
    return {name: selection["questions"] for name, selection in selections if "questions" in selection}


def known_steps(entry: Mapping[str, Any]) -> list[int]:
    """The steps after which a trained encoder is saved; none where only its rows decide how many steps there are."""
    training = TrainingSettings.model_validate(entry["training"])
    return [] if training.steps is None else snapshot_steps(training, training.steps)


def scored_steps(entry: Mapping[str, Any]) -> list[int]:
    """The steps after which a trained encoder is scored on a development set; none where nothing is chosen by one."""
    return known_steps(entry) if development_of(entry) else []


def snapshot_entries(model: str, entry: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Name → entry of the snapshots of a trained encoder that are scored."""
    used = {key: value for key, value in entry.items() if key not in _OF_TRAINING}
    return {
        snapshot_name(model, step): {
            **used,
            "kind": "sentence-transformers",
            "source": {"trained": snapshot_name(model, step)},
        }
        for step in scored_steps(entry)
    }
