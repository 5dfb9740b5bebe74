"""Runs of the shards of a corpus, merged into that of the whole by the one rule for ties."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.files.parquet import numbers_of, read_described, readable
from sentflow.retrieval.ranking import Ranked, Run, merged
from sentflow.retrieval.reading import sum_of_readings
from sentflow.retrieval.runs import parts_of
from sentflow.texts.shards import shards_of, whole_of


@dataclass(frozen=True)
class _Found:
    """The best documents of a question so far: identifiers, with rows that count them alone."""

    documents: Sequence[str]
    ranked: Ranked


def merged_shards(paths: Sequence[Path], questions: Sequence[str]) -> tuple[dict[str, Any], Run]:
    """The run of a corpus, out of those of all of its shards, and what it says of itself.

    Shards are in the order of the corpus, and within one, documents of equal scores are; so the order of the corpus is
    known without its identifiers. One shard is read at a time: what is held is (questions × depth) twice.

    `paths`: files of runs, one per shard, in the order of the corpus. `questions`: identifiers of questions, in the
    order of the run.
    """
    best: dict[str, _Found] = {}
    stated: list[dict[str, Any]] = []
    for path in paths:
        with readable(path, "run"):
            about, stored = read_described(path)
            documents, scores = stored.column("document").to_pylist(), numbers_of(stored.column("score"))
            ties: Mapping[str, int] = about["tied_at_cut"]
            for name, part in parts_of(stored.column("question").to_pylist()).items():
                own = Ranked(np.arange(part.stop - part.start), scores[part], ties.get(name, 0))
                found = _Found(documents[part], own)
                best[name] = _best_of(best[name], found, about["depth"]) if name in best else found
            stated.append(about)
    _refuse_others(stated, paths)
    return _about(stated), _run({name: best[name] for name in questions if name in best})


def _best_of(first: _Found, second: _Found, k: int) -> _Found:
    shifted = Ranked(
        second.ranked.rows + len(first.documents), second.ranked.scores, second.ranked.tied_at_cut
    )
    both = merged([first.ranked, shifted], k)
    documents = [*first.documents, *second.documents]
    kept = [documents[row] for row in both.rows.tolist()]
    return _Found(kept, Ranked(np.arange(len(kept)), both.scores, both.tied_at_cut))


def _run(best: Mapping[str, _Found]) -> Run:
    """The documents of all questions, one after the other; a document is there once for each that found it."""
    documents: list[str] = []
    ranked: dict[str, Ranked] = {}
    for name, found in best.items():
        rows = found.ranked.rows + len(documents)
        ranked[name] = Ranked(rows, found.ranked.scores, found.ranked.tied_at_cut)
        documents += found.documents
    return Run(documents, ranked)


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
    readings = [one["reading"] for one in stated if "reading" in one]
    return about | ({"reading": sum_of_readings(readings)} if readings else {})
