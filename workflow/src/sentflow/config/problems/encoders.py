"""What is wrong with encoders beyond their models, with those that are trained, their data, and sweeps."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.config.entries import AllEntries, Entries, Entry, Selected, as_map
from sentflow.config.problems.common import dataset_problems, missing_files, unknown
from sentflow.config.problems.probing import source_problems
from sentflow.config.trained import (
    further_models,
    named_data,
    needed_models,
    pooling_problems,
    start_name,
    teacher_of,
)
from sentflow.encoders.custom_class import argument_problems, code_files, read_class, split_reference
from sentflow.encoders.entries import compares_pairs, kind_of, weighs_terms
from sentflow.encoders.settings import (
    CROSS_ENCODER,
    CUSTOM,
    DENSE,
    MADE_BY,
    REQUIRED,
    SPARSE_EMBED,
    TRAINABLE,
    TRAINED,
    revision_problems,
)
from sentflow.errors import ConfigError, instead
from sentflow.training.data.entries import (
    NEGATIVES,
    PSEUDO_LABELS,
    corpora_of,
    held_out_of,
    held_out_sets,
    is_asked,
    is_combined,
    labeller_of,
    question_sets_of,
    relations_of,
    retriever_of,
    with_relations,
)
from sentflow.training.data.forms import LABELLED, PAIRS, SCORED
from sentflow.training.recipes.settings import RECIPES, DataNeeds, RecipeSettings
from sentflow.training.settings import AVERAGE_PRECISION, BEST, HELD_OUT, TrainingSettings
from sentflow.training.snapshots import SNAPSHOT
from sentflow.training.sweeps import sweep_problems


def encoder_problems(entries: AllEntries, selected: Selected) -> Iterator[str]:
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
    written = entry.get("round_of", entry.get("seed_of"))
    return f"models.{written}" if written else ""


# Kinds of which a training would lose what stands on top of the encoder
_ENDS = (CROSS_ENCODER, SPARSE_EMBED)


def entry_problems(entries: AllEntries) -> Iterator[str]:
    for name, sweep in entries["sweeps"].items():
        if sweep:
            yield from sweep_problems(name, sweep)
        for key in ("development", "test"):
            if (pairs := sweep.get(key)) and pairs not in entries["pair_sets"]:
                yield unknown(f"sweeps.{name}.{key}", "pair set", pairs, entries["pair_sets"])
        selection = as_map(sweep.get("selection"))
        if "development" not in sweep and ("questions" in selection or selection.get("pairs") == HELD_OUT):
            yield (
                f"sweeps.{name}.development: cells are compared by correlations, which {HELD_OUT} rows and questions "
                "do not give. Write a selected pair set of which no result is reported."
            )
    for name, entry in entries["models"].items():
        if entry.get("kind") == TRAINED:
            found = (*_trained_problems(entry, entries), *pooling_problems(name, entry, entries["models"]))
            yield from (f"models.{name}.{problem}" for problem in found)
    yield from _circles(entries)


def training_problems(entries: AllEntries, selected: Selected) -> Iterator[str]:
    needed = [*selected["models"], *further_models(entries, selected)]
    named, known = named_data({name: entries["models"][name] for name in needed}), entries["training_data"]
    for data, model in named.items():
        if data not in known:
            yield unknown(f"models.{model}.data", "training data", data, known)
    for data in with_relations((name for name in named if name in known), known):
        if entry := known[data]:
            check = _combined_problems if is_combined(entry) else _data_problems
            yield from check(data, entry, entries, selected)


def _circles(entries: AllEntries) -> Iterator[str]:
    seen: set[str] = set()
    for first in entries["models"]:
        chain = _way_back(first, entries)
        if chain and not seen & set(chain):
            seen.update(chain)
            circle = " → ".join((*chain, first))
            yield (
                f"models.{first}: {circle} is circular. Start one of them from another encoder, or write another "
                "teacher, or other training data."
            )


def _way_back(first: str, entries: AllEntries) -> list[str]:
    """The shortest chain of encoders that ends with one that needs its first; empty if there is none."""
    ways, seen = [[first]], {first}
    while ways:
        way = ways.pop(0)
        needed = needed_models(entries["models"].get(way[-1]), entries)
        if first in needed:
            return way
        ways += [[*way, name] for name in needed if name not in seen]
        seen.update(needed)
    return []


def _trained_problems(entry: Entry, entries: AllEntries) -> Iterator[str]:
    models, start, settings = entries["models"], entry["start"], entry.get("settings", {})
    if isinstance(start, dict) and "tokenizer" in start and "vocab_size" in start["configuration"]:
        yield "start.configuration.vocab_size: start.tokenizer.size says it. Leave one of them out."
    selection = entry.get("selection")
    training = TrainingSettings.model_validate(entry["training"])
    recipe = RECIPES.get(entry["recipe"])
    if selection:
        yield from _selection_problems(entry, entries)
        yield from _snapshot_problems(selection, training)
    yield from _start_problems(entry, recipe, models)
    if recipe is None:
        yield f"recipe: there is no recipe {entry['recipe']!r}. {instead(entry['recipe'], sorted(RECIPES))}"
        return
    data, needs = entries["training_data"].get(entry["data"]), recipe.model_construct(**settings).needs()
    yield from _form_problems(entry, data, needs, entries)
    if "teacher" in recipe.model_fields:
        yield from _teacher_problems(entry, needs, models, data or {})
    if MADE_BY.get(entry["recipe"]) == CROSS_ENCODER and isinstance(entry.get("device"), list):
        yield "device: a cross-encoder scores pairs on one device. Write one."
    if training.batch_size < (least := needs.least_rows):
        yield (
            f"training.batch_size: {entry['recipe']} with these settings compares a text with the others of its batch. "
            f"Write {least} or more."
        )
    questions = settings.get("question_tokens")
    if questions and questions > training.max_tokens:
        yield (
            f"settings.question_tokens: {questions} is more than training.max_tokens, {training.max_tokens}. Write "
            "that or less, or null."
        )
    if training.matryoshka is not None and not recipe.compares_vectors:
        able = [name for name, other in RECIPES.items() if other.compares_vectors]
        yield (
            f"training.matryoshka: {entry['recipe']} makes no vectors whose first numbers could be vectors. Leave it "
            f"out here, and write it in a training by {_or(able)}, which may go on from this one."
        )


def _start_problems(entry: Entry, recipe: type[RecipeSettings] | None, models: Entries) -> Iterator[str]:
    name, made = str(start_name(entry)), MADE_BY.get(entry["recipe"])
    start = models.get(name)
    if SNAPSHOT in name:
        yield f"start: {name} names a snapshot. Write the encoder itself; its selection says which snapshot it is."
    elif start is None:
        yield unknown("start", "model", name, models)
    elif not start:
        return
    elif start["kind"] not in TRAINABLE:
        yield (
            f"start: {name} is of kind {start['kind']}, which has no weights that could be trained on. Write an "
            f"encoder of kind {_or(TRAINABLE)}."
        )
    elif made == CROSS_ENCODER and start.get("segment"):
        yield (
            f"start: {name} reads texts whose words are marked, and a cross-encoder reads them as they are. Start from "
            "another encoder."
        )
    elif MADE_BY.get(start.get("recipe", "")) in _ENDS:
        yield (
            f"start: {name} is made by {start['recipe']}, which cannot be trained further. Start from the encoder "
            "that it started from."
        )
    elif recipe and recipe.needs_prediction and (why := _without_head(entry, start)):
        yield (
            f"start: {why}, so that it has no layer that predicts masked tokens, and {entry['recipe']} needs one "
            "that was trained. Train one by mlm, and start from that."
        )
    elif start.get("segment") != entry.get("segment"):
        yield (
            f"segment: {name}, the start, reads texts with segment: {start.get('segment') or 'null'}. Write the same "
            "here."
        )


def _without_head(entry: Entry, start: Entry) -> str | None:
    """Why a start is known to have no layer that predicts tokens; None where it has one, or its files say it."""
    if isinstance(entry["start"], dict):
        return "its weights are drawn"
    before = RECIPES.get(start.get("recipe", ""))
    return f"it was made by {start['recipe']}" if before and not before.predicts else None


def _form_problems(entry: Entry, data: Entry | None, needs: DataNeeds, entries: AllEntries) -> Iterator[str]:
    name = entry["data"]
    if data is None:
        yield unknown("data", "training data", name, entries["training_data"])
    elif data and data["form"] not in needs.forms:
        yield (
            f"data: the recipe {entry['recipe']} with these settings reads {_or(needs.forms)}, but {name} has "
            f"{data['form']}. Write other data, other settings, or another recipe."
        )


def _teacher_problems(entry: Entry, needs: DataNeeds, models: Entries, data: Entry) -> Iterator[str]:
    teacher, scored = teacher_of(entry), data.get("form") == SCORED
    if not needs.taught or scored:
        if teacher is not None:
            why = "the data have scores of a teacher" if scored else "these settings do not use it"
            yield f"settings.teacher: {why}. Leave it out."
    elif teacher is None:
        yield (
            "settings.teacher: write the encoder whose vectors are learnt, another entry of models"
            f"{'; or take data of the form scored' if SCORED in needs.forms else ''}."
        )
    elif teacher not in models:
        yield unknown("settings.teacher", "model", teacher, models)
    elif models[teacher] and kind_of(models[teacher]).output != DENSE:
        yield f"settings.teacher: {teacher} gives no vectors of single texts. Write an encoder that does."


def _snapshot_problems(selection: Mapping[str, Any], training: TrainingSettings) -> Iterator[str]:
    every, steps = training.snapshot_every, training.steps
    if selection.get("pairs") == HELD_OUT:
        if training.held_out is None:
            yield "training.held_out: the snapshot is chosen by held-out rows. Write their share, or {texts: 50}."
    elif steps is None:
        yield (
            "training.steps: with a selection, write steps instead of epochs: rows / batch_size × epochs. The "
            "snapshots are planned before the rows are counted."
        )
        return
    few = (steps or math.inf) <= every if isinstance(every, int) else not every or (training.epochs or 0) <= 1
    if selection.get("rule", BEST) == BEST and few:
        yield (
            "training.snapshot_every: there is only one snapshot to choose from. Write a smaller number, "
            "fewer than steps."
        )


def _selection_problems(entry: Entry, entries: AllEntries) -> Iterator[str]:
    selection, data = entry["selection"], entries["training_data"].get(entry["data"]) or {}
    sets, pairs, questions = entries["question_sets"], selection.get("pairs"), selection.get("questions")
    if pairs not in (None, HELD_OUT, *entries["pair_sets"]):
        yield unknown("selection.pairs", "pair set", pairs, entries["pair_sets"])
    if questions not in (None, *sets):
        yield unknown("selection.questions", "question set", questions, sets)
    elif questions and sets[questions].get("judgements") == []:
        yield f"selection.questions: {questions} has no judgements, so nothing can be chosen on it. Write another."
    elif questions in question_sets_of(data):
        yield f"selection.questions: {entry['data']} trains on {questions}. Write a set of other questions."
    is_labelled = entry["recipe"] == "bi-encoder" and data.get("form") == LABELLED
    if selection.get("measure") == AVERAGE_PRECISION and not is_labelled:
        yield f"selection.measure: {AVERAGE_PRECISION} is of a bi-encoder with {LABELLED} data. Write loss."


def _data_problems(data: str, entry: Entry, entries: AllEntries, _: Selected) -> Iterator[str]:
    where, datasets, pair_sets = f"training_data.{data}", entries["datasets"], entries["pair_sets"]
    for name in entry.get("pair_sets", []):
        if name not in pair_sets:
            yield unknown(f"{where}.pair_sets", "pair set", name, pair_sets)
        elif pairs := pair_sets[name]:
            yield from dataset_problems(f"pair_sets.{name}", pairs, datasets, key="reader")
    yield from _collection_problems(entry, where, entries)
    if "dataset" not in entry:
        return
    yield from dataset_problems(where, entry, datasets, key="reader.files")
    urls = [
        file.get("urls", [""])[0] for file in datasets.get(entry["dataset"], {}).get("files", {}).values()
    ]
    if REQUIRED in urls:
        about = f" {entry['note']}" if "note" in entry else ""
        yield (
            f"{where}.file: the file of {entry['title']} is not in the catalog.{about} Write the path of your copy: "
            f"training_data: {{{data}: {{file: <path>}}}}."
        )
    else:
        yield from missing_files(where, entry["dataset"], datasets)


def _combined_problems(data: str, entry: Entry, entries: AllEntries, selected: Selected) -> Iterator[str]:
    known, where = entries["training_data"], f"training_data.{data}"
    for name in relations_of(entry):
        if name not in known:
            yield unknown(f"{where}.combined.data", "training data", name, known)
        elif is_combined(known[name]):
            yield f"{where}.combined.data: {name} is put together of others itself. Write these instead."
        elif known[name] and known[name]["form"] != PAIRS:
            yield f"{where}.combined.data: {name} has {known[name]['form']}, not pairs. Write another."
    for section, name in held_out_of(entry):
        place = f"{where}.combined.without_texts_of.{section}"
        if name not in entries[section]:
            yield unknown(place, section[:-1].replace("_", " "), name, entries[section])
        elif section == "tasks":  # its table is made whether it is selected or not
            if task := entries["tasks"][name]:
                yield from source_problems(name, task, entries["datasets"])
        elif name not in selected[section]:
            yield (
                f"{place}: {name} is not selected, so its table is not made. Write it in select.{section}, or delete "
                "it here."
            )


def _collection_problems(entry: Entry, where: str, entries: AllEntries) -> Iterator[str]:
    sets, key = entries["question_sets"], "questions" if is_asked(entry) else "collections.question_sets"
    for name in corpora_of(entry):
        if name not in entries["corpora"]:
            yield unknown(f"{where}.collections.corpora", "corpus", name, entries["corpora"])
    for name in question_sets_of(entry):
        if name not in sets:
            yield unknown(f"{where}.{key}", "question set", name, sets)
        elif is_asked(entry) and not labeller_of(entry) and sets[name].get("judgements") == []:
            yield (
                f"{where}.{key}: {name} has no judgements, so no document is known to be relevant. Write another, or "
                "pseudo_labels."
            )
    corpora = {sets.get(name, {}).get("corpus") for name in question_sets_of(entry)}
    for name in held_out_sets(entry):
        if name not in sets:
            yield unknown(f"{where}.without_documents_of", "question set", name, sets)
        elif sets[name].get("corpus") not in corpora:
            yield f"{where}.without_documents_of: {name} is on another corpus and removes nothing. Delete it."
    for place, retriever in ((NEGATIVES, retriever_of(entry)), (PSEUDO_LABELS, labeller_of(entry))):
        if retriever and retriever not in entries["retrievers"]:
            yield unknown(f"{where}.{place}.retriever", "retriever", retriever, entries["retrievers"])


def _or(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
