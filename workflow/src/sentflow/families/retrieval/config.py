"""Corpora, question sets and retrievers in catalog and configuration, and what may be wrong with them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.graph.config.entries import derived
from sentflow.graph.config.family import AllEntries, ConfigPart, Entries, Entry, Section, Selected
from sentflow.graph.config.messages import unknown
from sentflow.graph.config.shared import file_problems
from sentflow.texts.corpus_files import COLUMN, GOLD_DOCUMENT, raw_files_of, source_problems

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
        yield from _cluster_problems(entry, where)
    measured = config["retrieval"]
    for one in measured.get("pair", []):
        if one not in selected["retrievers"]:
            yield unknown("config.retrieval.pair", "selected retriever", one, selected["retrievers"])
    if measured["main"] not in measured["measures"]:
        yield f"config.retrieval.main: {measured['main']!r} is not one of retrieval.measures. Write it there, too."
    reached = _reached(selected["retrievers"], entries["retrievers"])
    for name in reached:
        yield from _retriever_problems(name, entries, selected)
    yield from _circles(reached, entries["retrievers"])


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
    elif pattern is not None:
        try:
            re.compile(pattern)
        except re.error as error:
            yield f"{where}.cluster_pattern: {pattern!r} is no regular expression ({error}). Write another one."


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
        if "passages" in entry and entry["passages"] not in entries["passages"]:
            yield unknown(f"{where}.passages", "way to cut passages", entry["passages"], entries["passages"])
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
