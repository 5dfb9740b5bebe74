"""What is wrong with encoders beyond their models: files of the user, classes of scikit-learn, commits to be chosen."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sentflow.config.entries import AllEntries, Entries, Selected, as_map
from sentflow.encoders.custom_class import argument_problems, code_files, read_class, split_reference
from sentflow.encoders.entries import compares_pairs, weighs_terms
from sentflow.encoders.settings import CUSTOM, REQUIRED, revision_problems
from sentflow.errors import ConfigError


def problems(entries: AllEntries, selected: Selected) -> Iterator[str]:
    for name in selected["models"]:
        entry = entries["models"][name]
        if compares_pairs(entry):
            yield (
                f"config.select.models: {name!r} compares two texts and gives no vectors, so nothing is measured of it "
                "alone. Leave it out here, and write it as model of a retriever of kind rerank."
            )
        elif weighs_terms(entry):
            yield (
                f"config.select.models: {name!r} weighs terms and gives no dense vectors, so that no task, pair set or "
                "alignment is measured of it. Leave it out here, and write it as model of a retriever of kind sparse."
            )
        yield from custom_problems(name, entry)
    yield from required_revisions(selected["models"], entries["models"])


def custom_problems(name: str, entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with the file of an own encoder, one sentence each; none for other kinds.

    The file of an encoder that is not selected need not be here.
    """
    if entry.get("kind") != CUSTOM:
        return []
    reference, where = entry["custom"], f"models.{name}"
    try:
        read_class(reference)
        code_files(split_reference(reference)[0])
        wrong = argument_problems(reference, entry.get("arguments", {}))
        found = [f"{where}.arguments.{problem}" for problem in wrong]
    except ConfigError as error:
        found = [f"{where}.custom: {error}"]
    return found + [
        f"{where}.files: there is no file {file} (searched for in {Path.cwd()})."
        for file in entry.get("files", [])
        if not Path(file).is_file()
    ]


def required_revisions(names: Iterable[str], models: Entries) -> Iterator[str]:
    waiting, seen = list(names), set()
    while waiting:
        name = waiting.pop(0)
        entry = models.get(name, {})
        source, start = entry.get("source", {}), entry.get("start")
        if source.get("revision") == REQUIRED and name not in seen:
            yield from revision_problems(f"models.{name}.source.revision", source)
        before = start.get("like") if isinstance(start, dict) else start
        if name not in seen and before:
            waiting.append(before)
        seen.add(name)


def written_as(found: Iterable[str], models: Entries) -> list[str]:
    """Problems of encoders that were made of one entry, as problems of that entry: each once, where it is written."""
    made = {f"models.{name}": origin for name, entry in models.items() if (origin := _origin(as_map(entry)))}

    def written(problem: str) -> str:
        fits = [place for place in made if problem.startswith((f"{place}.", f"{place}:"))]
        place = max(fits, key=len, default="")
        return made.get(place, "") + problem[len(place) :]

    return list(dict.fromkeys(written(problem) for problem in found))


def _origin(entry: Mapping[str, Any]) -> str:
    """Where an encoder that the program made is written; empty for one that is written itself."""
    sweep = as_map(entry.get("cell")).get("sweep")
    if sweep:
        return f"sweeps.{sweep}"
    return f"models.{entry['seed_of']}" if "seed_of" in entry else ""
