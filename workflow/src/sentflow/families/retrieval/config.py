"""Corpora, question sets and retrievers in catalog and configuration, and what may be wrong with them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.encoders.kinds.table import KINDS
from sentflow.graph.config.entries import derived
from sentflow.graph.config.family import AllEntries, ConfigPart, Entries, Entry, Section, Selected
from sentflow.graph.config.messages import unknown
from sentflow.graph.config.shared import file_problems
from sentflow.texts.corpus_files import raw_files_of, source_problems

DOCUMENTS, QUESTIONS = UNITS = ("documents", "questions")  # what encoders read, beside passages
BM25, DENSE, FUSION, RUN, RANDOM = "bm25", "dense", "fusion", "run", "random"


def all_retrievers(selected: Sequence[str], retrievers: Entries) -> list[str]:
    """The selected retrievers, each after those that it fuses.

    Raises
    ------
    RecursionError
        One names itself, see `_circles`.
    """
    found: dict[str, None] = {}

    def add(name: str) -> None:
        for part in retrievers[name].get("of", []):
            add(part)
        found[name] = None

    for name in selected:
        add(name)
    return list(found)


def _problems(config: Mapping[str, Any], entries: AllEntries, selected: Selected) -> Iterator[str]:
    corpora = entries["corpora"]
    for name in selected["question_sets"]:
        entry, where = entries["question_sets"][name], f"question_sets.{name}"
        if entry["corpus"] not in corpora:
            yield unknown(f"{where}.corpus", "corpus", entry["corpus"], corpora)
            continue
        corpus = corpora[entry["corpus"]]
        for section, owner, one in (("question_sets", name, entry), ("corpora", entry["corpus"], corpus)):
            for place, problem in source_problems(one):
                yield f"{section}.{owner}.{place}: {problem}"
        datasets = entries["datasets"]
        yield from file_problems(where, entry["dataset"], raw_files_of(entry), datasets, key="questions")
        yield from file_problems(
            f"corpora.{entry['corpus']}", corpus["dataset"], raw_files_of(corpus), datasets, key="documents"
        )
    if selected["question_sets"] and not selected["retrievers"]:
        yield "config.select.retrievers: question sets are selected, but nothing that searches. Write bm25."
    measured = config["retrieval"]
    if measured["main"] not in measured["measures"]:
        yield f"config.retrieval.main: {measured['main']!r} is not one of retrieval.measures. Write it there, too."
    reached = _reached(selected["retrievers"], entries["retrievers"])
    for name in reached:
        yield from _retriever_problems(name, entries, selected)
    yield from _circles(reached, entries["retrievers"])


def _reached(selected: Sequence[str], retrievers: Entries) -> list[str]:
    """The selected retrievers and all that they fuse, as far as these exist."""
    found: list[str] = []
    waiting = list(selected)
    while waiting:
        name = waiting.pop(0)
        if name in found or name not in retrievers:
            continue
        found.append(name)
        waiting += retrievers[name].get("of", [])
    return found


def _retriever_problems(name: str, entries: AllEntries, selected: Selected) -> Iterator[str]:
    entry, where = entries["retrievers"][name], f"retrievers.{name}"
    if entry["kind"] == BM25 and entry["analyser"] not in entries["analysers"]:
        yield unknown(f"{where}.analyser", "analyser", entry["analyser"], entries["analysers"])
    if entry["kind"] == DENSE:
        if entry["model"] not in entries["models"]:
            yield unknown(f"{where}.model", "model", entry["model"], entries["models"])
        elif entry["model"] not in selected["models"]:
            yield f"{where}.model: {entry['model']!r} is not selected. Write it in select.models, too."
        if "passages" in entry:
            yield from _passage_problems(entry, where, entries)
    if entry["kind"] == FUSION:
        for part in entry["of"]:
            if part not in entries["retrievers"]:
                yield unknown(f"{where}.of", "retriever", part, entries["retrievers"])
        weights = entry.get("weights")
        if weights is not None and len(weights) != len(entry["of"]):
            yield f"{where}.weights: {len(weights)} weights for {len(entry['of'])} retrievers. Write one for each."
    if entry["kind"] == RUN:
        missing = [one for one in selected["question_sets"] if one not in entry["files"]]
        if missing:
            yield f"{where}.files: no run for {', '.join(missing)}. Write the path of one for each question set."


def _passage_problems(retriever: Entry, where: str, entries: AllEntries) -> Iterator[str]:
    name, known = retriever["passages"], entries["passages"]
    if name not in known:
        yield unknown(f"{where}.passages", "way to cut passages", name, known)
        return
    if name in UNITS:
        yield f"passages.{name}: this is the name of whole {name}. Write another one."
    kind = entries["models"].get(retriever["model"], {}).get("kind", "")
    if "tokens" in known[name] and kind in KINDS and not KINDS[kind].has_tokenizer:
        yield (
            f"{where}.passages: {name!r} counts tokens, but an encoder of kind {kind} ({retriever['model']}) has no "
            "tokenizer to count them by. Write passages of words."
        )


def _circles(reached: Sequence[str], retrievers: Entries) -> Iterator[str]:
    """Retrievers that fuse themselves, through others perhaps."""
    for name in reached:
        if name in _reached(retrievers[name].get("of", []), retrievers):
            yield f"retrievers.{name}.of: it fuses itself. Write other retrievers."


RETRIEVAL = ConfigPart(
    (
        Section("question_sets", "question set", ("select.question_sets",), derive=derived),
        Section("corpora", "corpus", (), derive=derived),
        Section("retrievers", "retriever", ("select.retrievers",)),
        Section("analysers", "analyser", ()),
        Section("passages", "way to cut passages", ()),
    ),
    problems=_problems,
)
