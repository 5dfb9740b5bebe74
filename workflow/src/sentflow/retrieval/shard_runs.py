"""Runs of the shards of a corpus, merged into that of the whole by the one rule for ties."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.files.parquet import numbers_of, read_described, readable
from sentflow.retrieval.ranking import NOTHING, Ranked, Run, merged, parts_of
from sentflow.texts.shards import shards_of, whole_of

# Of `cost_of` and what retrievers add: means over vectors of documents; and what is of the questions alone
_OF_DOCUMENTS = ("terms_per_document", "expected_matches", "flops", "bytes_per_document")
_OF_QUESTIONS = ("terms_per_question", "question_seconds")


def merged_shards(paths: Sequence[Path], questions: Sequence[str]) -> tuple[dict[str, Any], Run]:
    """The run of a corpus, and what it says of itself, out of those of all of its shards, in the order of the corpus.

    So that order is known without identifiers. One shard is read at a time: what is held is (questions × depth) twice.
    """
    best: dict[str, tuple[list[str], Ranked]] = {}  # documents with rows that count them alone
    stated: list[dict[str, Any]] = []
    for path in paths:
        with readable(path, "run"):
            about, stored = read_described(path)
            documents, scores = stored.column("document").to_pylist(), numbers_of(stored.column("score"))
            for name, part in parts_of(stored.column("question").to_pylist()).items():
                before, first = best.get(name, ([], NOTHING))
                both = [*before, *documents[part]]
                rows = np.arange(len(before), len(both))
                found = Ranked(rows, scores[part], about["tied_at_cut"].get(name, 0))
                kept = merged([first, found], about["depth"])
                own = [both[row] for row in kept.rows.tolist()]
                best[name] = own, replace(kept, rows=np.arange(len(own)))
            stated.append(about)
    _refuse_others(stated, paths)
    ids: list[str] = []  # a document is there once for each question that found it
    ranked: dict[str, Ranked] = {}
    for name in questions:
        if name in best:
            own, found = best[name]
            ranked[name] = replace(found, rows=found.rows + len(ids))
            ids += own
    return _about(stated), Run(ids, ranked)


def _refuse_others(stated: Sequence[Mapping[str, Any]], paths: Sequence[Path]) -> None:
    """Raise `DataError` unless these are the shards of one corpus, all of them and in order."""
    first = stated[0]
    expected = shards_of(whole_of(first["corpus"]), len(stated))
    for about, corpus, path in zip(stated, expected, paths, strict=True):
        same = all(about[key] == first[key] for key in ("questions", "depth"))
        same_retriever = whole_of(about["retriever"]) == whole_of(first["retriever"])
        if about["corpus"] != corpus or not same or not same_retriever:
            raise DataError(
                f"{path} is the run of {about['retriever']} for {about['questions']} in {about['corpus']}, but that of "
                f"{whole_of(first['retriever'])} for {first['questions']} in {corpus} should be in its place. Delete "
                "it and run snakemake again."
            )


def _about(stated: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the merged run says of itself; ties are added when it is written."""
    first = stated[0]
    about = {
        "questions": first["questions"],
        "retriever": whole_of(first["retriever"]),
        "corpus": whole_of(first["corpus"]),
        "n_documents": sum(one["n_documents"] for one in stated),
        "depth": first["depth"],
    }
    if "reading" not in first:
        return about
    read = [one["reading"]["documents"] for one in stated]
    summed = None if None in read else {key: sum(one[key] for one in read) for key in read[0]}
    return {**about, "reading": {"documents": summed, "questions": first["reading"]["questions"]}}


def cost_of_shards(shards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a search of a whole corpus costs, out of what is known of those of its shards."""
    cost = {key: sum(shard[key] for shard in shards) for key in ("seconds", "index_bytes")}
    if not all("n_vectors" in shard for shard in shards):
        return cost
    n_vectors = [shard["n_vectors"] for shard in shards]
    means = {
        key: float(np.average([shard[key] for shard in shards], weights=n_vectors))
        for key in _OF_DOCUMENTS
        if key in shards[0]
    }
    of_questions = {key: shards[0][key] for key in _OF_QUESTIONS if key in shards[0]}
    return {**cost, "n_vectors": sum(n_vectors), **of_questions, **means}
