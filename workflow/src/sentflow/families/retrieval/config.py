"""Corpora, question sets and retrievers in catalog and configuration, and what may be wrong with them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sentflow.config.collections import Corpus, QuestionSet
from sentflow.config.entries import AllEntries, Entries, Entry, Selected, derived
from sentflow.config.experiment import Configuration
from sentflow.config.model import LowerName
from sentflow.config.problems.messages import made_of_seeds, unknown
from sentflow.config.problems.shared import file_problems
from sentflow.config.search import Analyser, Cut, Decision
from sentflow.config.sections import ConfigPart, Section
from sentflow.errors import no_pattern
from sentflow.families.retrieval.encoder_config import encoder_problems, passage_problems
from sentflow.families.retrieval.own_collections import (
    missing_files,
    write_out_corpora,
    write_out_question_sets,
)
from sentflow.families.retrieval.parts import (
    BM25,
    FUSION,
    RUN,
    SPARSE,
    further_encoders,
    parts_of,
    reached_by,
    without_encoder,
)
from sentflow.families.retrieval.stages import stage_problems
from sentflow.families.retrieval.tuned_config import decided_by, training_sets, tuned_on, tuning_problems
from sentflow.families.training.needs import data_of, miners
from sentflow.retrieval.settings import Retriever
from sentflow.retrieval.stop_words import list_problems
from sentflow.texts.corpus_files import COLUMN, GOLD_DOCUMENT, raw_files_of, source_problems
from sentflow.training.data.collected import corpora_of, held_out_sets, question_sets_of, retriever_of
from sentflow.training.data.forms import RANKS

OTHER = "other"  # languages that a map from languages does not name


def _problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    sets = entries["question_sets"]
    for name in selected["question_sets"]:
        yield from _question_set_problems(name, entries)
        for other in sets[name].get("training", []):
            if other not in sets:
                yield unknown(f"question_sets.{name}.training", "question set", other, sets)
            elif other == name:
                yield f"question_sets.{name}.training: it names itself. Write other question sets."
            elif (
                other not in selected["question_sets"] and "corpus" in sets[other]
            ):  # else its schema says it
                yield from _question_set_problems(other, entries)
    yield from _tasks_named_twice({name: sets[name] for name in selected["question_sets"]})
    if selected["question_sets"] and not selected["retrievers"]:
        yield "config.select.retrievers: question sets are selected, but nothing that searches. Write bm25."
    measured = config.retrieval
    for one in measured.pair or ():
        if one not in selected["retrievers"]:
            shown = {name: entries["retrievers"][name] for name in selected["retrievers"]}
            yield unknown("config.retrieval.pair", "selected retriever", one, shown)
    if measured.main not in measured.measures:
        yield f"config.retrieval.main: {measured.main!r} is not one of retrieval.measures. Write it there, too."
    reference = measured.reference
    if reference is not None and (made := made_of_seeds(reference, entries["retrievers"])):
        yield unknown("config.retrieval.reference", "retriever", reference, dict.fromkeys(made))
    elif reference is not None and reference not in selected["retrievers"]:
        yield f"config.retrieval.reference: {reference!r} is not selected. Write it in select.retrievers, too."
    yield from stage_problems(measured, entries, selected)
    mining = miners(entries, selected)
    reached = reached_by([*selected["retrievers"], *mining], entries["retrievers"])
    for name in reached:
        yield from _retriever_problems(name, entries, selected)
    yield from tuning_problems(reached, entries, selected)
    for other in _sets_of_training(reached, entries, selected):
        if other in sets and other not in selected["question_sets"] and "corpus" in sets[other]:
            yield from _question_set_problems(other, entries)
    read = [name for entry in data_of(entries, selected).values() for name in corpora_of(entry)]
    for name in dict.fromkeys(read):
        if name in entries["corpora"]:
            yield from _source_problems(f"corpora.{name}", entries["corpora"][name], entries, key="documents")
    yield from _rank_problems(config, reached, entries, selected)
    yield from _candidate_problems(measured.depth, entries, selected)
    yield from _circles(reached, entries["retrievers"])


def _sets_of_training(reached: Sequence[str], entries: AllEntries, selected: Selected) -> list[str]:
    """The question sets that something is tuned on, or that give rows to train on."""
    tuned = [name for _, name in training_sets(reached, entries, selected)]
    data = data_of(entries, selected).values()
    rows = [name for entry in data for name in [*question_sets_of(entry), *held_out_sets(entry)]]
    return list(dict.fromkeys([*tuned, *rows]))


def _rank_problems(
    config: Configuration, reached: Sequence[str], entries: AllEntries, selected: Selected
) -> Iterator[str]:
    """Ranks of negatives that are beyond what is ranked where their questions are measured or tuned on, too."""
    depth = config.retrieval.depth
    others = {*selected["question_sets"], *(name for _, name in training_sets(reached, entries, selected))}
    for name, entry in data_of(entries, selected).items():
        shared = [one for one in question_sets_of(entry) if one in others]
        if shared and retriever_of(entry) and (last := entry["negatives"].get("ranks", RANKS)[-1]) > depth:
            yield (
                f"training_data.{name}.negatives.ranks: {last} is beyond retrieval.depth, {depth}, which holds for "
                f"{', '.join(shared)}, since results are shown of it, or something is tuned on it. Write a smaller "
                "rank."
            )


def _candidate_problems(depth: int, entries: AllEntries, selected: Selected) -> Iterator[str]:
    """More documents that are asked for than a first stage finds candidates."""
    retrievers = entries["retrievers"]
    for name in reached_by(selected["retrievers"], retrievers):
        if (most := retrievers[name].get("candidates", depth)) < depth:
            yield (
                f"retrievers.{name}.candidates: {most} documents are found, and retrieval.depth ranks {depth}. Write "
                f"at least {depth}, or a smaller retrieval.depth."
            )
    for name, entry in data_of(entries, selected).items():
        found = retrievers.get(retriever_of(entry) or "", {})
        last = entry["negatives"].get("ranks", RANKS)[-1] if found else 0
        if (most := found.get("candidates", last)) < last:
            yield (
                f"training_data.{name}.negatives.ranks: {last} is beyond the {most} candidates of "
                f"{retriever_of(entry)}. Write a smaller rank, or more candidates."
            )


def _cluster_problems(entry: Entry, where: str) -> Iterator[str]:
    """What is said of the clusters of questions, and of the columns of its sources."""
    by, pattern = entry.get("cluster"), entry.get("cluster_pattern")
    told = any("cluster" in source for source in entry["questions"])
    if by == COLUMN and not told:
        yield f"{where}.cluster: no source names the column. Write cluster: COLUMN at its questions."
    if told and by != COLUMN:
        yield f"{where}.questions: a column of clusters is named, but not used. Write {where}.cluster: {COLUMN}."
    if pattern is not None and by != GOLD_DOCUMENT:
        yield f"{where}.cluster_pattern: it needs cluster: {GOLD_DOCUMENT}. Write that, or delete the pattern."
    elif pattern is not None and (wrong := no_pattern(pattern)):
        yield f"{where}.cluster_pattern: {wrong}"


def _question_set_problems(name: str, entries: AllEntries) -> Iterator[str]:
    """What is wrong with the files of a question set and of its corpus."""
    entry, where, corpora = entries["question_sets"][name], f"question_sets.{name}", entries["corpora"]
    if entry["corpus"] not in corpora:
        yield unknown(f"{where}.corpus", "corpus", entry["corpus"], corpora)
        return
    yield from _cluster_problems(entry, where)
    part = entry.get("part", {})
    if beyond := [str(one) for one in part.get("keep", ()) if one > part["of"]]:
        yield (
            f"{where}.part.keep: there is no part {', '.join(beyond)} of {part['of']}. Write numbers from 1 to "
            f"{part['of']}."
        )
    yield from _source_problems(where, entry, entries, key="questions")
    yield from _source_problems(
        f"corpora.{entry['corpus']}", corpora[entry["corpus"]], entries, key="documents"
    )


def _source_problems(where: str, entry: Entry, entries: AllEntries, *, key: str) -> Iterator[str]:
    """What is wrong with the files of a question set or of a corpus."""
    if "dataset" not in entry:  # its schema says what is wrong with it
        return
    for place, problem in source_problems(entry):
        yield f"{where}.{place}: {problem}"
    yield from missing_files(where, entry, entries["datasets"])
    yield from file_problems(where, entry["dataset"], raw_files_of(entry), entries["datasets"], key=key)


def _tasks_named_twice(question_sets: Entries) -> Iterator[str]:
    """Question sets whose result files would be one."""
    tasks: dict[str, str] = {}
    for name, entry in question_sets.items():
        task = task_of_mteb(name, entry)
        if task in tasks:
            yield f"question_sets.{name}.mteb: {task!r} is that of {tasks[task]}, too. Write another name."
        tasks[task] = name


def task_of_mteb(name: str, entry: Entry) -> str:
    """What a question set is called in result files of MTEB."""
    return str(entry.get("mteb", name))


def _retriever_problems(name: str, entries: AllEntries, selected: Selected) -> Iterator[str]:
    entry, where = entries["retrievers"][name], f"retrievers.{name}"
    if entry["kind"] == BM25:
        given = entry["analyser"]
        for analyser in dict.fromkeys([given] if isinstance(given, str) else given.values()):
            if analyser not in entries["analysers"]:
                yield unknown(f"{where}.analyser", "analyser", analyser, entries["analysers"])
            else:
                words = entries["analysers"][analyser].get("stop_words")
                yield from list_problems(words, where=f"analysers.{analyser}.stop_words")
    if "model" in entry:
        asked = _searched_by(name, entries, selected) if entry["kind"] == SPARSE else []
        yield from encoder_problems(where, entry, entries, asked)
    if "passages" in entry:
        yield from passage_problems(where, entry, entries)
    for part in parts_of(entry):
        if part not in entries["retrievers"]:
            key = "times" if part == entry.get("times") else "of"
            yield unknown(f"{where}.{key}", "retriever", part, entries["retrievers"])
    if entry["kind"] == RUN:
        asked = _searched_by(name, entries, selected)
        missing = [one for one in asked if one not in entry["files"]]
        if missing:
            yield f"{where}.files: no run for {', '.join(missing)}. Write the path of one for each question set."
        for questions, file in entry["files"].items():
            if questions in asked and not Path(file).is_file():
                yield (
                    f"{where}.files.{questions}: there is no file {file} (searched for in {Path.cwd()}). Write the "
                    "path of a run in TREC's form."
                )


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


def _circles(reached: Sequence[str], retrievers: Entries) -> Iterator[str]:
    """Retrievers that need themselves, through others perhaps."""
    for name in reached:
        if name in reached_by(parts_of(retrievers[name]), retrievers):
            does = "fuses" if retrievers[name]["kind"] == FUSION else "reranks"
            yield f"retrievers.{name}.of: it {does} itself. Write other retrievers."


def _of_seeds(entries: AllEntries, _place: str, name: str) -> list[str] | None:
    """The retrievers that were made of one whose encoder has several seeds."""
    return made_of_seeds(name, entries["retrievers"]) or None


RETRIEVAL = ConfigPart(
    (
        Section(
            "question_sets",
            "question set",
            ("select.question_sets",),
            model=QuestionSet,
            key=LowerName,
            derive=derived,
            write_out=write_out_question_sets,
        ),
        Section(
            "corpora", "corpus", (), model=Corpus, key=LowerName, derive=derived, write_out=write_out_corpora
        ),
        Section(
            "retrievers",
            "retriever",
            ("select.retrievers",),
            model=Retriever,
            alone=False,
            members=_of_seeds,
            left_out=without_encoder,
        ),
        Section("decisions", "decision", ("select.decisions",), model=Decision, alone=False),
        Section("analysers", "analyser", (), model=Analyser),
        Section("passages", "way to cut passages", (), model=Cut, key=LowerName),
    ),
    problems=_problems,
    further_models=further_encoders,
)
