"""Training data in catalog and configuration, and what may be wrong with them."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentflow.config.entries import AllEntries, Entry, Selected, as_map, derived
from sentflow.config.experiment import Configuration
from sentflow.config.model import LowerName
from sentflow.config.problems.messages import unknown
from sentflow.config.problems.shared import file_problems
from sentflow.config.sections import ConfigPart, Section
from sentflow.config.short_forms import missing_file
from sentflow.config.training_data import TrainingData
from sentflow.config.trainings import Preset, Sweep
from sentflow.families.probing.config import source_problems as task_problems
from sentflow.families.training.checks import trained_problems
from sentflow.families.training.entries import write_out_models
from sentflow.families.training.needs import further_models
from sentflow.families.training.own_data import dataset_name, write_out
from sentflow.families.training.settings import REQUIRED, named_data
from sentflow.families.training.sweep_config import sweep_entry_problems
from sentflow.texts.pair_files import raw_files_of as raw_files_of_pairs
from sentflow.training.data.collected import (
    NEGATIVES,
    PSEUDO_LABELS,
    corpora_of,
    held_out_sets,
    is_asked,
    labeller_of,
    question_sets_of,
    retriever_of,
)
from sentflow.training.data.combined import (
    combined_problems,
    held_out_of,
    is_combined,
    relations_of,
    with_relations,
)
from sentflow.training.data.sources import source_problems


def _problems(_: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    needed = [*selected["models"], *further_models(entries, selected)]
    models = {name: entries["models"][name] for name in needed}
    named, known = named_data(models), entries["training_data"]
    for data, model in named.items():
        if data not in known:
            yield unknown(f"models.{model}.data", "training data", data, known)
    for data in with_relations((name for name in named if name in known), known):
        if "form" in as_map(known[data]):  # else its schema says what is wrong with it
            yield from data_problems(data, entries, selected)


def data_problems(data: str, entries: AllEntries, selected: Selected) -> Iterator[str]:
    """What is wrong with training data that an encoder is trained on: their form, their pair sets, their files."""
    entry, where, datasets = entries["training_data"][data], f"training_data.{data}", entries["datasets"]
    if is_combined(entry):
        yield from _combined_problems(data, entries, selected)
        return
    for place, problem in source_problems(entry):
        yield f"{where}.{place}: {problem}"
    pair_sets = entries["pair_sets"]
    for name in entry.get("pair_sets", []):
        if name not in pair_sets:
            yield unknown(f"{where}.pair_sets", "pair set", name, pair_sets)
        elif "dataset" in pair_sets[name]:  # else its schema says what is wrong with it
            files = raw_files_of_pairs(pair_sets[name])
            yield from file_problems(
                f"pair_sets.{name}", pair_sets[name]["dataset"], files, datasets, key="reader"
            )
    yield from _collection_problems(entry, where, entries)
    if "dataset" not in entry:
        return
    yield from file_problems(where, entry["dataset"], entry["reader"]["files"], datasets, key="reader.files")
    if entry["dataset"] == dataset_name(data):
        [file] = datasets[entry["dataset"]]["files"].values()
        yield from _own_file_problems(data, entry, file["urls"][0])


def _combined_problems(data: str, entries: AllEntries, selected: Selected) -> Iterator[str]:
    """What is wrong with training data that are put together of others, and with what is held out."""
    known, where = entries["training_data"], f"training_data.{data}"
    for place, problem in combined_problems(data, known):
        yield f"{where}.{place}: {problem}"
    for name in relations_of(known[data]):
        if name not in known:
            yield unknown(f"{where}.combined.data", "training data", name, known)
    for section, name in held_out_of(known[data]):
        place = f"{where}.combined.without_texts_of.{section}"
        if name not in entries[section]:
            yield unknown(place, section[:-1].replace("_", " "), name, entries[section])
        elif section == "tasks":  # its table is made whether it is selected or not
            yield from task_problems(name, entries["tasks"][name], entries["datasets"])
        elif name not in selected[section]:
            yield (
                f"{place}: {name} is not selected, so its table is not made. Write it in select.{section}, or delete "
                "it here."
            )


def _collection_problems(entry: Entry, where: str, entries: AllEntries) -> Iterator[str]:
    """Corpora, question sets and retrievers that do not exist, or that give no rows."""
    sets, key = entries["question_sets"], "questions" if is_asked(entry) else "collections.question_sets"
    for name in corpora_of(entry):
        if name not in entries["corpora"]:
            yield unknown(f"{where}.collections.corpora", "corpus", name, entries["corpora"])
    for name in question_sets_of(entry):
        if name not in sets:
            yield unknown(f"{where}.{key}", "question set", name, sets)
        elif is_asked(entry) and not labeller_of(entry) and not as_map(sets[name]).get("judgements"):
            yield (
                f"{where}.{key}: {name} has no judgements, so no document is known to be relevant. Write another, or "
                "pseudo_labels."
            )
    corpora = {as_map(sets.get(name)).get("corpus") for name in question_sets_of(entry)}
    for name in held_out_sets(entry):
        if name not in sets:
            yield unknown(f"{where}.without_documents_of", "question set", name, sets)
        elif as_map(sets[name]).get("corpus") not in corpora:
            yield f"{where}.without_documents_of: {name} is on another corpus, and takes nothing out. Delete it."
    for place, retriever in ((NEGATIVES, retriever_of(entry)), (PSEUDO_LABELS, labeller_of(entry))):
        if retriever and retriever not in entries["retrievers"]:
            yield unknown(f"{where}.{place}.retriever", "retriever", retriever, entries["retrievers"])


def _own_file_problems(data: str, entry: Mapping[str, Any], file: str) -> list[str]:
    where = f"training_data.{data}"
    if file != REQUIRED:
        return missing_file(where, file, entry["dataset"])
    about = f" {entry['note']}" if "note" in entry else ""
    return [
        f"{where}.file: the file of {entry['title']} is not in the catalog.{about} Write the path of your copy: "
        f"training_data: {{{data}: {{file: <path>}}}}."
    ]


def _entry_problems(entries: AllEntries) -> Iterator[str]:
    yield from sweep_entry_problems(entries)
    yield from trained_problems(entries)


TRAINING = ConfigPart(
    (
        Section(
            "training_data",
            "training data",
            (),
            model=TrainingData,
            key=LowerName,
            derive=derived,
            write_out=write_out,
            alone=False,
        ),
        Section("presets", "preset", (), model=Preset, key=LowerName, alone=False),
        # The last: what entries of models stand for is written out when presets and sweeps are
        Section(
            "sweeps",
            "sweep",
            ("select.sweeps",),
            model=Sweep,
            key=LowerName,
            write_out=write_out_models,
            alone=False,
        ),
    ),
    problems=_problems,
    entry_problems=_entry_problems,
    further_models=further_models,
)
