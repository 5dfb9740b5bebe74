"""What a training needs of other entries of ``models``: its start, a teacher, and what finds its negatives.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Mapping
from typing import Any

from sentflow.config.entries import AllEntries, Entries, Entry, Selected, as_map
from sentflow.encoders.kinds.table import TRAINED
from sentflow.families.retrieval.parts import further_encoders, models_of
from sentflow.training.data.collected import question_sets_of, searchers_of
from sentflow.training.data.combined import held_out_of, with_relations


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
    """The encoder whose vectors a distillation learns; None for recipes without one."""
    teacher = as_map(entry.get("settings")).get("teacher")
    return teacher if isinstance(teacher, str) else None


def miners_of(entry: Any, entries: AllEntries) -> list[str]:
    """The retrievers that make rows of a training, whatever else is wrong with it."""
    found = as_map(entry)
    data = found.get("data")
    if found.get("kind") != TRAINED or not isinstance(data, str):
        return []
    known = entries["training_data"]
    return [name for part in with_relations([data], known) for name in searchers_of(as_map(known.get(part)))]


def needed_models(entry: Any, entries: AllEntries) -> list[str]:
    """The encoders that a training reads, or whose vectors its rows are found by."""
    mining = models_of(miners_of(entry, entries), entries["retrievers"])
    names = (start_name(entry), teacher_of(as_map(entry)), *mining)
    return list(dict.fromkeys(name for name in names if name))


def further_models(entries: AllEntries, selected: Selected) -> list[str]:
    """The encoders that used ones are trained from or taught by, and what these need; used ones that nobody selects."""
    models = entries["models"]
    found = [name for name in further_encoders(entries, selected) if name in models]
    waiting = [*selected["models"], *found]
    while waiting:
        needed = [
            name
            for name in needed_models(models.get(waiting.pop(0)), entries)
            if name in models and name not in found
        ]
        found += needed
        waiting += needed
    return found


def data_of(entries: AllEntries, selected: Selected) -> dict[str, Entry]:
    """The training data of selected encoders and of those that they need, and what these data consist of.

    As far as they exist and are maps.
    """
    models, known = entries["models"], entries["training_data"]
    needed = [models[name] for name in [*selected["models"], *further_models(entries, selected)]]
    named = [as_map(entry).get("data") for entry in needed if as_map(entry).get("kind") == TRAINED]
    there = [name for name in named if isinstance(name, str) and name in known]
    return {name: as_map(known[name]) for name in with_relations(there, known)}


def held_out_tasks(entries: AllEntries, selected: Selected) -> Entries:
    """The tasks whose texts are in no row of the training data that an experiment needs, selected or not."""
    held_out = [one for entry in data_of(entries, selected).values() for one in held_out_of(entry)]
    known = entries["tasks"]
    return {name: known[name] for section, name in held_out if section == "tasks" and name in known}


def miners(entries: AllEntries, selected: Selected) -> dict[str, list[str]]:
    """Retriever that makes rows for a selected encoder, or for one that it needs → the question sets it searches."""
    found: dict[str, list[str]] = {}
    for entry in data_of(entries, selected).values():
        for retriever in searchers_of(entry):
            found.setdefault(retriever, []).extend(question_sets_of(entry))
    return found
