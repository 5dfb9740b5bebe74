"""How an encoder must be read out, by the recipes that it went through.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Iterator
from typing import Any

from sentflow.config.entries import Entries, Entry, as_map
from sentflow.encoders.kinds.table import MADE_BY, TRAINED
from sentflow.families.training.needs import start_name
from sentflow.training.recipes.settings import RECIPES

_KEYS = ("pooling", "training_pooling")


def write_out_pooling(models: Entries) -> None:
    """Let trained encoders that say no pooling have the one that they must have, in place."""
    for name, entry in models.items():
        if as_map(entry).get("kind") == TRAINED and (found := _deciding(name, models)):
            entry.setdefault("pooling", found[1])


def pooling_problems(name: str, entry: Entry, models: Entries) -> Iterator[str]:
    """What is wrong with the read-out of a trained encoder."""
    found = _deciding(name, models)
    if not found:
        return
    stage, pooling = found
    recipe = models[stage]["recipe"]
    before = "" if stage == name else f", by which {stage} was trained before,"
    for key in _KEYS:
        if key in entry and entry[key] != pooling:
            yield (
                f"{key}: the recipe {recipe}{before} gathers a text in its first token, and {entry[key]} reads out "
                f"others. Write {pooling}, or leave {key} out."
            )


def _deciding(name: str, models: Entries) -> tuple[str, str] | None:
    """The encoder on the way to this one, itself included, whose recipe asks for a read-out; and that.

    None for encoders of another kind than that of dense vectors.
    """
    if as_map(models.get(name)).get("recipe") in MADE_BY:
        return None
    seen: set[str] = set()
    while name in models and name not in seen:
        seen.add(name)
        entry: dict[str, Any] = as_map(models[name])
        recipe = RECIPES.get(str(entry.get("recipe")))
        if entry.get("kind") == TRAINED and recipe and recipe.read_out:
            return name, recipe.read_out
        if not isinstance(entry.get("start"), str):  # random weights have learnt nothing
            return None
        name = start_name(entry) or ""
    return None
