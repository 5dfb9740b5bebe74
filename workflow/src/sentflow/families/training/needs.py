"""What a training needs of other entries of ``models``: its start, and the teacher of a distillation.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Mapping
from typing import Any

from sentflow.encoders.kinds.table import TRAINED
from sentflow.graph.config.family import AllEntries, Selected
from sentflow.graph.config.messages import as_map


def start_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """``name`` of the encoder that a training starts from; ``configuration`` where its weights are drawn, and
    ``tokenizer`` where its vocabulary is learnt.
    """
    start = entry["start"]
    if isinstance(start, str):
        return {"name": start}
    return {"name": start["like"], **{key: value for key, value in start.items() if key != "like"}}


def start_name(entry: Any) -> str | None:
    """The encoder that an entry is trained from, whatever else is wrong with it; None where it names none."""
    if as_map(entry).get("kind") != TRAINED:
        return None
    start = entry.get("start")
    name = start.get("like") if isinstance(start, Mapping) else start
    return name if isinstance(name, str) else None


def teacher_of(entry: Mapping[str, Any]) -> str | None:
    """The encoder whose vectors a distillation learns; None for other recipes."""
    teacher = as_map(entry.get("settings")).get("teacher")
    return teacher if isinstance(teacher, str) else None


def needed_models(entry: Any) -> list[str]:
    """The encoders that a training reads."""
    names = (start_name(entry), teacher_of(as_map(entry)))
    return list(dict.fromkeys(name for name in names if name))


def further_models(entries: AllEntries, selected: Selected) -> list[str]:
    """The encoders that selected ones are trained from or taught by, and what these need."""
    models = entries["models"]
    found: list[str] = []
    waiting = list(selected["models"])
    while waiting:
        needed = [
            name for name in needed_models(models.get(waiting.pop(0))) if name in models and name not in found
        ]
        found += needed
        waiting += needed
    return found
