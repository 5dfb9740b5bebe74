"""Encoders and datasets: the sections of catalog and configuration that no family of measurements owns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sentflow.config.datasets import Dataset
from sentflow.config.entries import AllEntries, Entries, Selected, as_map
from sentflow.config.experiment import Configuration
from sentflow.config.model import LowerName
from sentflow.config.problems.messages import made_of_seeds, unknown
from sentflow.config.sections import ConfigPart, Section
from sentflow.encoders.checks.entries import custom_problems, entry_problems
from sentflow.encoders.entries import compares_pairs, weighs_terms
from sentflow.encoders.fetch.revisions import REQUIRED, revision_problems
from sentflow.encoders.settings import Model, ModelName
from sentflow.errors import instead


def file_problems(where: str, dataset: str, files: list[str], datasets: Entries, *, key: str) -> list[str]:
    """Whether the dataset of an entry exists and has its files.

    Parameters
    ----------
    where
        Section and name of the entry.
    dataset, files
        What it reads.
    datasets
        All there are.
    key
        Of the entry, that names the files.
    """
    if dataset not in datasets:
        return [unknown(f"{where}.dataset", "dataset", dataset, datasets)]
    known = as_map(as_map(datasets[dataset]).get("files"))
    return [
        f"{where}.{key}: the dataset {dataset} has no file {file!r}. {instead(file, sorted(known))}"
        for file in files
        if known and file not in known
    ]


def _entry_problems(entries: AllEntries) -> Iterator[str]:
    for name, entry in entries["models"].items():
        if isinstance(entry, dict):
            yield from entry_problems(name, entry)


def needed(config: Configuration, what: str, selected: Sequence[str]) -> Iterator[str]:
    """That something is selected of which encoders alone are measured, and no encoder."""
    select = config.select
    if selected and not any(getattr(select, place.partition(".")[2]) for place in MODELS.named_in):
        yield f"config.select.models: {what} are measured of encoders, and none is selected. Write one, e.g. random."


def _problems(_: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    """Encoders without vectors; own ones whose file is not in order, which need not be there if not selected."""
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


def required_revisions(names: Iterable[str], models: Entries) -> Iterator[str]:
    """Models that are used, and those that they start from, whose commit the user must write."""
    waiting, seen = list(names), set()
    while waiting:
        name = waiting.pop(0)
        entry = as_map(models.get(name))
        source = as_map(entry.get("source"))
        if source.get("revision") == REQUIRED and name not in seen:
            yield from revision_problems(f"models.{name}.source.revision", source)
        start = entry.get("start")
        before = start if isinstance(start, str) else as_map(start).get("like")
        if name not in seen and isinstance(before, str):
            waiting.append(before)
        seen.add(name)


def _made_of(entries: AllEntries, place: str, name: str) -> list[str] | None:
    """The encoders that were made of an entry with several seeds, or of a sweep."""
    models = entries["models"]
    if place == _SWEEPS:
        return [
            key for key, entry in models.items() if as_map(as_map(entry).get("cell")).get("sweep") == name
        ]
    return made_of_seeds(name, models) or None


def written_as(problems: Iterable[str], models: Entries) -> list[str]:
    """Problems of encoders that were made of one entry, as problems of that entry: each once, where it is written."""
    made = {f"models.{name}": origin for name, entry in models.items() if (origin := _origin(as_map(entry)))}

    def written(problem: str) -> str:
        fits = [place for place in made if problem.startswith((f"{place}.", f"{place}:"))]
        place = max(fits, key=len, default="")
        return made.get(place, "") + problem[len(place) :]

    return list(dict.fromkeys(written(problem) for problem in problems))


def _origin(entry: Mapping[str, Any]) -> str:
    """Where an encoder that the program made is written; empty for one that is written itself."""
    sweep = as_map(entry.get("cell")).get("sweep")
    if sweep:
        return f"sweeps.{sweep}"
    return f"models.{entry['seed_of']}" if "seed_of" in entry else ""


_SWEEPS = "select.sweeps"
MODELS = Section("models", "model", ("select.models", _SWEEPS), model=Model, key=ModelName, members=_made_of)
DATASETS = Section("datasets", "dataset", (), model=Dataset, key=LowerName)
SHARED = ConfigPart((MODELS, DATASETS), problems=_problems, entry_problems=_entry_problems)
