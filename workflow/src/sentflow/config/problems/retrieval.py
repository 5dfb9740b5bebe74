"""What is wrong with question sets, corpora, retrievers and decisions."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from sentflow.config.configuration import Configuration, Retrieval
from sentflow.config.entries import AllEntries, Entries, Entry, Selected
from sentflow.config.problems.common import dataset_problems, made_of_seeds, missing_files, unknown
from sentflow.config.problems.encoders import custom_problems, required_revisions
from sentflow.config.retrievers import (
    DENSE,
    FUSION,
    RERANK,
    RUN,
    SPARSE,
    UNITS,
    counts_terms,
    decided_by,
    parts_of,
    reached_by,
    task_of_mteb,
    tuned_on,
)
from sentflow.config.trained import data_of, further_models, miners
from sentflow.encoders.entries import compares_pairs, gives_vectors, has_term_vectors, kind_of, weighs_terms
from sentflow.encoders.settings import SPARSE_EMBED, WEIGHING
from sentflow.errors import ConfigError
from sentflow.retrieval.analysers import list_problems
from sentflow.training.data.entries import corpora_of, held_out_sets, question_sets_of, retriever_of
from sentflow.training.data.forms import RANKS
from sentflow.training.snapshots import choosing_questions


def problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    sets, retrievers, chosen = entries["question_sets"], entries["retrievers"], selected["question_sets"]
    yield from _config_problems(config.retrieval, entries, selected)
    yield from _measure_problems(
        config.retrieval.measures, {sets[name].get("relevant_grade", 1) for name in chosen}
    )
    mining = miners(entries, selected)
    reached = reached_by([*selected["retrievers"], *mining], retrievers)
    training = list(_training_sets(reached, entries, selected))
    data = data_of(entries, selected)
    # what is searched, near what is searched, and what something is tuned or trained on
    further = [other for name in chosen for other in sets[name].get("training", [])]
    further += [name for _, name in training]
    further += [name for one in data.values() for name in [*question_sets_of(one), *held_out_sets(one)]]
    encoders = {
        name: entries["models"][name] for name in [*selected["models"], *further_models(entries, selected)]
    }
    choosing = choosing_questions(encoders)
    further += choosing.values()
    for name in dict.fromkeys([*chosen, *further]):
        if sets.get(name):
            yield from _question_set_problems(name, entries)
    for corpus in dict.fromkeys(name for one in data.values() for name in corpora_of(one)):
        yield from _corpus_problems(corpus, entries)
    for name in chosen:
        for other in sets[name].get("training", []):
            if other not in sets:
                yield unknown(f"question_sets.{name}.training", "question set", other, sets)
            elif other == name:
                yield f"question_sets.{name}.training: it names itself. Write other question sets."
    yield from _tasks_named_twice({name: sets[name] for name in chosen})
    if chosen and not selected["retrievers"]:
        yield "config.select.retrievers: question sets are selected, but nothing that searches. Write bm25."
    for name in reached:
        yield from _retriever_problems(name, entries, selected)
    for where, name in training:
        if name not in sets:
            yield unknown(f"{where}.tuned_on", "question set", name, sets)
        elif sets[name] and not sets[name]["judgements"]:
            yield f"{where}.tuned_on: {name!r} has no judgements, so nothing can be chosen on it. Write another."
    for name in selected["decisions"]:
        for one in entries["decisions"][name].get("retrievers", []):
            if one not in selected["retrievers"]:
                yield f"decisions.{name}.retrievers: {one!r} is not selected. Write it in select.retrievers, too."
    for name, questions in choosing.items():
        measure, depth = encoders[name]["selection"]["measure"], config.retrieval.depth
        if questions in chosen and int(measure.partition("@")[2]) > depth:
            yield f"models.{name}.selection.measure: {measure} is beyond retrieval.depth, {depth}. Write a smaller one."
    yield from _depth_problems(
        config.retrieval.depth, {*chosen, *(one for _, one in training)}, entries, selected
    )


def _training_sets(
    reached: Sequence[str], entries: AllEntries, selected: Selected
) -> Iterator[tuple[str, str]]:
    for name in reached:
        for one in tuned_on(entries["retrievers"][name]):
            yield f"retrievers.{name}.weights", one
    for name in selected["decisions"]:
        for one in entries["decisions"][name].get("tuned_on", []):
            yield f"decisions.{name}", one


_PLAIN_MEASURES = re.compile(r"(nDCG|R|RR|AP|P|Success)@[1-9]\d{0,5}")  # need no import of ir-measures


def _measure_problems(measures: Sequence[str], relevant_grades: set[int]) -> Iterator[str]:
    odd = [name for name in measures if not _PLAIN_MEASURES.fullmatch(name)]
    for name, grade in product(odd, relevant_grades):
        try:
            from sentflow.retrieval.measures import parsed

            parsed(name, grade, "config.retrieval.measures")
        except ConfigError as error:
            yield str(error)
        except ModuleNotFoundError:  # only the environment of the jobs has it
            return


def _config_problems(retrieval: Retrieval, entries: AllEntries, selected: Selected) -> Iterator[str]:
    known, chosen, where = entries["retrievers"], selected["retrievers"], "config.retrieval"
    for one in retrieval.pair or ():
        if one not in chosen:
            shown = {name: known[name] for name in chosen}
            yield unknown(f"{where}.pair", "selected retriever", one, shown)
    if retrieval.main not in retrieval.measures:
        yield f"{where}.main: {retrieval.main!r} is not one of retrieval.measures. Write it there, too."
    reference = retrieval.reference
    if reference is not None and (made := made_of_seeds(reference, known)):
        yield unknown(f"{where}.reference", "retriever", reference, dict.fromkeys(made))
    elif reference is not None and reference not in chosen:
        yield f"{where}.reference: {reference!r} is not selected. Write it in select.retrievers, too."
    stages = retrieval.stages
    if stages is None:
        return
    where, families = f"{where}.stages", {entry["seed_of"] for entry in known.values() if "seed_of" in entry}
    for place, stage in enumerate(stages.of):
        own = f"{where}.of.{place}.retrievers"
        if len(stage.retrievers) != len(stages.series):
            yield (
                f"{own}: {len(stage.retrievers)} of them for {len(stages.series)} series. Write one for each of: "
                f"{', '.join(stages.series)}."
            )
        for name in stage.retrievers:
            made = made_of_seeds(name, known) or [name]
            if not known.keys() & {*made}:
                yield unknown(own, "retriever", name, {*known, *families})
            elif not {*made} & {*chosen}:
                yield f"{own}: {name!r} is not selected. Write it in select.retrievers, too."
    titles = [stage.title for stage in stages.of]
    for title in dict.fromkeys(one for one in titles if titles.count(one) > 1):
        yield f"{where}.of: two stages have the title {title!r}. Write another one."
    for measure in stages.measures or ():
        if measure not in retrieval.measures:
            yield f"{where}.measures: {measure!r} is not one of retrieval.measures. Write it there, too."


# --- question sets and corpora


def _question_set_problems(name: str, entries: AllEntries) -> Iterator[str]:
    entry, where, corpora = entries["question_sets"][name], f"question_sets.{name}", entries["corpora"]
    if entry["corpus"] not in corpora:
        yield unknown(f"{where}.corpus", "corpus", entry["corpus"], corpora)
        return
    yield from _source_problems(where, entry, entries, key="questions")
    yield from _corpus_problems(entry["corpus"], entries)


def _corpus_problems(name: str, entries: AllEntries) -> Iterator[str]:
    if entry := entries["corpora"].get(name):
        yield from _source_problems(f"corpora.{name}", entry, entries, key="documents")


def _source_problems(where: str, entry: Entry, entries: AllEntries, *, key: str) -> Iterator[str]:
    yield from missing_files(where, entry["dataset"], entries["datasets"])
    yield from dataset_problems(where, entry, entries["datasets"], key=key)


def _tasks_named_twice(question_sets: Entries) -> Iterator[str]:
    tasks: dict[str, str] = {}
    for name, entry in question_sets.items():
        task = task_of_mteb(name, entry)
        if task in tasks:
            yield f"question_sets.{name}.mteb: {task!r} is that of {tasks[task]}, too. Write another name."
        tasks[task] = name


# --- retrievers


def _retriever_problems(name: str, entries: AllEntries, selected: Selected) -> Iterator[str]:
    entry, where, retrievers = entries["retrievers"][name], f"retrievers.{name}", entries["retrievers"]
    if not entry:
        return
    searched = _searched_by(name, entries, selected) if entry["kind"] in (SPARSE, RUN) else []
    if counts_terms(entry):
        yield from _analyser_problems(where, entry, entries["analysers"])
    if "model" in entry:
        yield from _encoder_problems(where, entry, entries, searched)
    if "passages" in entry:
        yield from _passage_problems(where, entry, entries)
    for part in parts_of(entry):
        if part not in retrievers:
            key = "times" if part == entry.get("times") else "of"
            yield unknown(f"{where}.{key}", "retriever", part, retrievers)
    if name in reached_by(parts_of(entry), retrievers):
        does = "fuses" if entry["kind"] == FUSION else "reranks"
        yield f"{where}.of: it {does} itself. Write other retrievers."
    if entry["kind"] == RUN:
        if missing := [one for one in searched if one not in entry["files"]]:
            yield f"{where}.files: no run for {', '.join(missing)}. Write the path of one for each question set."
        for questions, file in entry["files"].items():
            if questions in searched and not Path(file).is_file():
                yield (
                    f"{where}.files.{questions}: there is no file {file} (searched for in {Path.cwd()}). Write the "
                    "path of a run in TREC's form."
                )


def _analyser_problems(where: str, entry: Entry, known: Entries) -> Iterator[str]:
    named = entry["analyser"]
    for analyser in dict.fromkeys([named] if isinstance(named, str) else named.values()):
        if analyser not in known:
            yield unknown(f"{where}.analyser", "analyser", analyser, known)
        else:
            words = known[analyser].get("stop_words")
            yield from list_problems(words, where=f"analysers.{analyser}.stop_words")


def _searched_by(name: str, entries: AllEntries, selected: Selected) -> list[str]:
    """The question sets that a retriever searches: those that are shown, and where something is tuned on its runs."""
    retrievers, mining = entries["retrievers"], miners(entries, selected)
    shown = reached_by(selected["retrievers"], retrievers)
    found = list(selected["question_sets"]) if name in shown else []
    for other in reached_by([*selected["retrievers"], *mining], retrievers):
        if name in reached_by(parts_of(retrievers[other]), retrievers):
            found += tuned_on(retrievers[other])
    for miner, sets in mining.items():
        if name in reached_by([miner], retrievers):
            found += sets
    for decision in (entries["decisions"][one] for one in selected["decisions"]):
        if name in reached_by(decided_by(decision, selected["retrievers"]), retrievers):
            found += decision.get("tuned_on", [])
    return list(dict.fromkeys(found))


def _encoder_problems(
    where: str, entry: Entry, entries: AllEntries, searched: Sequence[str]
) -> Iterator[str]:
    models, model = entries["models"], entry["model"]
    if model not in models:
        yield unknown(f"{where}.model", "model", model, models)
        return
    if not models[model]:
        return
    if unread := custom_problems(model, models[model]):
        yield from unread
        return
    yield from required_revisions([model], models)
    if entry["kind"] == DENSE:
        yield from _dense_problems(f"{where}.model", model, models[model])
    elif entry["kind"] == SPARSE:
        yield from _sparse_problems(where, entry, entries, searched)
    elif entry["kind"] == RERANK and not compares_pairs(models[model]):
        yield (
            f"{where}.model: {model!r} gives vectors of single texts and compares no two. Write a model of kind "
            "cross-encoder, or kind: dense."
        )


def _dense_problems(where: str, model: str, entry: Entry) -> Iterator[str]:
    if compares_pairs(entry):
        yield f"{where}: {model!r} compares two texts and gives no vectors. Write kind: rerank."
    elif weighs_terms(entry):
        yield f"{where}: {model!r} weighs terms and gives no dense vectors. Write kind: sparse."
    elif not gives_vectors(entry):
        yield f"{where}: {model!r} is made of the rows of a task and gives no vectors of texts. Write another model."


def _sparse_problems(where: str, entry: Entry, entries: AllEntries, searched: Sequence[str]) -> Iterator[str]:
    model = entry["model"]
    if not weighs_terms(entries["models"][model]):
        yield (
            f"{where}.model: {model!r} has no weights of terms. Write a model of kind {' or '.join(WEIGHING)}; or "
            "kind: dense for vectors, kind: rerank for a cross-encoder."
        )
        return
    if "candidates" in entry and not has_term_vectors(entries["models"][model]):
        yield (
            f"{where}.candidates: they are ordered by vectors of terms, and {model!r} gives weights alone. Leave "
            f"candidates out, or write a model of kind {SPARSE_EMBED}."
        )
    if "impacts" not in entry:
        return
    sets, corpora = entries["question_sets"], entries["corpora"]
    for corpus in dict.fromkeys(sets[name]["corpus"] for name in searched if sets.get(name)):
        if corpora.get(corpus, {}).get("shards", 1) > 1:
            yield (
                f"{where}.impacts: weights are rounded by the largest of a whole corpus, but {corpus} is searched in "
                f"shards. Leave impacts out, or corpora.{corpus}.shards."
            )


def _passage_problems(where: str, retriever: Entry, entries: AllEntries) -> Iterator[str]:
    name, known = retriever["passages"], entries["passages"]
    if name not in known:
        yield unknown(f"{where}.passages", "way to cut passages", name, known)
        return
    if name in UNITS:
        yield f"passages.{name}: this is the name of whole {name}. Write another one."
    model = entries["models"].get(retriever["model"])
    if not model or "tokens" not in known[name]:
        return
    if model.get("segment"):
        yield (
            f"{where}.passages: {name!r} counts tokens of texts as they are, but {retriever['model']} reads them with "
            "words marked (segment). Write passages of words."
        )
    if not kind_of(model).has_tokenizer:
        yield (
            f"{where}.passages: {name!r} counts tokens, but an encoder of kind {model['kind']} ({retriever['model']}) "
            "has no tokenizer to count them by. Write passages of words."
        )


def _depth_problems(depth: int, measured: set[str], entries: AllEntries, selected: Selected) -> Iterator[str]:
    """More documents that are asked for than are ranked, or than a first stage finds candidates."""
    retrievers = entries["retrievers"]
    for name in reached_by(selected["retrievers"], retrievers):
        if (most := retrievers[name].get("candidates", depth)) < depth:
            yield (
                f"retrievers.{name}.candidates: {most} documents are found, and retrieval.depth ranks {depth}. Write "
                f"at least {depth}, or a smaller retrieval.depth."
            )
    for name, entry in data_of(entries, selected).items():
        if not (miner := retriever_of(entry)):
            continue
        last, where = entry["negatives"].get("ranks", RANKS)[-1], f"training_data.{name}.negatives.ranks"
        shared = [one for one in question_sets_of(entry) if one in measured]
        if shared and last > depth:
            yield (
                f"{where}: {last} is beyond retrieval.depth, {depth}, which holds for {', '.join(shared)}, since "
                "results are shown of it, or something is tuned on it. Write a smaller rank."
            )
        if (most := retrievers.get(miner, {}).get("candidates", last)) < last:
            yield (
                f"{where}: {last} is beyond the {most} candidates of {miner}. Write a smaller rank, or more candidates."
            )
