"""What may be wrong with entries of kind trained, beyond their schema.

Where a key is missing, unknown or of another type, the schema says so, and nothing is said here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.config.entries import AllEntries, Entries, Entry, as_map
from sentflow.config.model import mistakes
from sentflow.config.problems.messages import unknown
from sentflow.encoders.entries import kind_of
from sentflow.encoders.kinds.table import (
    CROSS_ENCODER,
    DENSE,
    KINDS,
    MADE_BY,
    SPARSE_EMBED,
    TRAINABLE,
    TRAINED,
)
from sentflow.errors import instead
from sentflow.families.training.needs import needed_models, start_name, teacher_of
from sentflow.families.training.read_out import pooling_problems
from sentflow.training.data.forms import SCORED
from sentflow.training.recipes.settings import RECIPES, DataNeeds, RecipeSettings
from sentflow.training.settings import BEST, TrainingOptions, TrainingSettings
from sentflow.training.snapshots import SNAPSHOT

# Kinds of which a training would lose what stands on top of the encoder
_ENDS = (CROSS_ENCODER, SPARSE_EMBED)


def trained_problems(entries: AllEntries) -> Iterator[str]:
    """What is wrong with trained encoders, selected or not."""
    for name, entry in entries["models"].items():
        if isinstance(entry, dict) and entry.get("kind") == TRAINED:
            found = (*_problems(entry, entries), *pooling_problems(name, entry, entries["models"]))
            yield from (f"models.{name}.{problem}" for problem in found)
    yield from circle_problems(entries)


def circle_problems(entries: AllEntries) -> Iterator[str]:
    """Encoders that are trained from themselves, by way of others."""
    told: set[str] = set()
    for first in entries["models"]:
        chain = _way_back(first, entries)
        if chain and not told & set(chain):
            told.update(chain)
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


def _problems(entry: Entry, entries: AllEntries) -> Iterator[str]:
    named = entry.get("recipe")
    recipe = RECIPES.get(named) if isinstance(named, str) else None
    yield from _start_problems(entry, recipe, entries["models"])
    yield from _configuration_problems(entry)
    if recipe and MADE_BY.get(str(named)) == CROSS_ENCODER and isinstance(entry.get("device"), list):
        yield "device: a cross-encoder scores pairs on one device. Write one."
    needs = recipe.model_construct(**as_map(entry.get("settings"))).needs() if recipe else None
    if recipe and needs:
        yield from _data_problems(entry, needs, entries["training_data"])
        data = as_map(entries["training_data"].get(str(entry.get("data"))))
        yield from _teacher_problems(entry, recipe, needs, entries["models"], data)
    elif isinstance(named, str):
        yield f"recipe: there is no recipe {named!r}. {instead(named, sorted(RECIPES))}"
    selection = as_map(entry.get("selection"))
    if isinstance(pairs := selection.get("pairs"), str) and pairs not in entries["pair_sets"]:
        yield unknown("selection.pairs", "pair set", pairs, entries["pair_sets"])
    written = as_map(entry.get("training"))
    if mistakes(TrainingOptions, written, where="training"):
        return
    if wrong := mistakes(TrainingSettings, written, where="training"):
        yield from map(str, wrong)
        return
    training = TrainingSettings.model_validate(written)
    if recipe and needs:
        yield from _batch_problems(entry, needs, training)
        yield from _length_problems(entry, training)
        yield from _option_problems(entry, recipe, training)
    if selection:
        yield from _snapshot_problems(selection, training)


def _start_problems(entry: Entry, recipe: type[RecipeSettings] | None, models: Entries) -> Iterator[str]:
    name, made = start_name(entry), MADE_BY.get(str(entry.get("recipe")))
    if name is None:
        return
    if SNAPSHOT in name:
        yield f"start: {name} names a snapshot. Write the encoder itself; its selection says which snapshot it is."
    elif name not in models:
        yield unknown("start", "model", name, models)
    elif (kind := as_map(models[name]).get("kind")) not in TRAINABLE:
        yield (
            f"start: {name} is of kind {kind}, which has no weights that could be trained on. Write an encoder of kind "
            f"{_or(TRAINABLE)}."
        )
    elif made == CROSS_ENCODER and as_map(models[name]).get("segment"):
        yield (
            f"start: {name} reads texts whose words are marked, and a cross-encoder reads them as they are. Start from "
            "another encoder."
        )
    elif MADE_BY.get(str(as_map(models[name]).get("recipe"))) in _ENDS:
        yield (
            f"start: {name} is made by {models[name]['recipe']}, and nothing is trained on from there. Start from the "
            "encoder that it started from."
        )
    elif recipe and recipe.needs_prediction and (why := _without_head(entry, as_map(models[name]))):
        yield (
            f"start: {why}, so that it has no layer that predicts masked tokens, and {entry['recipe']} needs one "
            "that was trained. Train one by mlm, and start from that."
        )
    elif (its := as_map(models[name]).get("segment")) != entry.get("segment"):
        yield f"segment: {name}, the start, reads texts with segment: {its or 'null'}. Write the same here."


def _without_head(entry: Entry, start: Mapping[str, Any]) -> str | None:
    """Why a start is known to have no layer that predicts tokens; None where it has one, or its files say it."""
    if "configuration" in as_map(entry.get("start")):
        return "its weights are drawn"
    before = RECIPES.get(str(start.get("recipe")))
    if start.get("kind") == TRAINED and before and not before.predicts:
        return f"it was made by {start['recipe']}"
    return None


def _configuration_problems(entry: Entry) -> Iterator[str]:
    start = as_map(entry.get("start"))
    if "tokenizer" in start and "vocab_size" in as_map(start.get("configuration")):
        yield "start.configuration.vocab_size: start.tokenizer.size says it. Leave one of them out."


def _data_problems(entry: Entry, needs: DataNeeds, known: Entries) -> Iterator[str]:
    name, forms = entry.get("data"), needs.forms
    if not isinstance(name, str):
        return
    data = as_map(known.get(name))
    if not data:
        yield unknown("data", "training data", name, known)
    elif data.get("form", forms[0]) not in forms:
        yield (
            f"data: the recipe {entry['recipe']} with these settings reads {_or(forms)}, but {name} has "
            f"{data['form']}. Write other data, other settings, or another recipe."
        )


def _teacher_problems(
    entry: Entry, recipe: type[RecipeSettings], needs: DataNeeds, models: Entries, data: Entry
) -> Iterator[str]:
    if "teacher" not in recipe.model_fields:
        return
    teacher, scored = teacher_of(entry), data.get("form") == SCORED
    if not needs.taught or scored:
        if teacher is not None:
            why = (
                "the data have scores of a teacher"
                if scored
                else "with these settings nothing is learnt from it"
            )
            yield f"settings.teacher: {why}. Leave it out."
    elif teacher is None:
        yield (
            "settings.teacher: write the encoder whose vectors are learnt, another entry of models"
            f"{'; or take data of the form scored' if SCORED in needs.forms else ''}."
        )
    elif teacher not in models:
        yield unknown("settings.teacher", "model", teacher, models)
    elif as_map(models[teacher]).get("kind") in KINDS and kind_of(models[teacher]).gives != DENSE:
        yield f"settings.teacher: {teacher} gives a text no vector of its own. Write an encoder that does."


def _batch_problems(entry: Entry, needs: DataNeeds, training: TrainingSettings) -> Iterator[str]:
    if training.batch_size < needs.least_rows:
        yield (
            f"training.batch_size: {entry['recipe']} with these settings compares a text with the others of its batch. "
            f"Write {needs.least_rows} or more."
        )


def _option_problems(entry: Entry, recipe: type[RecipeSettings], training: TrainingSettings) -> Iterator[str]:
    if training.matryoshka is not None and not recipe.compares_vectors:
        able = [name for name, other in RECIPES.items() if other.compares_vectors]
        yield (
            f"training.matryoshka: {entry['recipe']} makes no vectors whose first numbers could be vectors. "
            f"Leave it out here, and write it in a training by {_or(able)}, which may go on from this one."
        )


def _length_problems(entry: Entry, training: TrainingSettings) -> Iterator[str]:
    questions = as_map(entry.get("settings")).get("question_tokens")
    if isinstance(questions, int) and questions > training.max_tokens:
        yield (
            f"settings.question_tokens: {questions} is more than training.max_tokens, {training.max_tokens}. Write "
            "that or less, or null."
        )


def _snapshot_problems(selection: Mapping[str, Any], training: TrainingSettings) -> Iterator[str]:
    if training.steps is None:
        yield (
            "training.steps: with a selection, write steps instead of epochs: rows / batch_size × epochs. The "
            "snapshots are planned before the rows are counted."
        )
    elif selection.get("rule", BEST) == BEST and not _several(training):
        yield (
            "training.snapshots: the best of one snapshot is no choice. Write every how many steps one is scored, "
            "fewer than steps."
        )


def _several(training: TrainingSettings) -> bool:
    """Whether there are several snapshots to choose from."""
    every, steps = training.snapshots, training.steps
    return every is not None and steps is not None and every < steps


def _or(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
