"""Files of runs: the ranked documents of every question, as Parquet."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.files.parquet import numbers_of, read_described, readable, write_described
from sentflow.retrieval.ranking import Ranked, Run


def write_run(path: Path | str, run: Run, about: Mapping[str, Any]) -> None:
    """Write a run as Parquet: columns question, document, score, best first within a question.

    `about`: what the file says of itself: at least ``questions`` and ``retriever``. Ties at the cut are added.
    """
    questions = [name for name, found in run.ranked.items() for _ in range(len(found))]
    scores = [found.scores for found in run.ranked.values()]
    columns = {
        "question": questions,
        "document": [document for name in run.ranked for document in run.documents(name)],
        "score": np.concatenate(scores) if scores else np.zeros(0),
    }
    ties = {name: found.tied_at_cut for name, found in run.ranked.items() if found.tied_at_cut}
    write_described(path, columns, {**about, "tied_at_cut": ties})


def read_run(path: Path | str, document_ids: Sequence[str]) -> tuple[dict[str, Any], Run]:
    """What a run says of itself, and what it found among the documents of its corpus."""
    with readable(path, "run"):
        about, stored = read_described(path)
        row_of = {document: row for row, document in enumerate(document_ids)}
        rows = np.array([row_of[name] for name in stored.column("document").to_pylist()], dtype=np.int64)
        scores = numbers_of(stored.column("score"))
        names = stored.column("question").to_pylist()
        ties: Mapping[str, int] = about["tied_at_cut"]
        ranked = {
            name: Ranked(rows[part], scores[part], ties.get(name, 0))
            for name, part in parts_of(names).items()
        }
        return about, Run(document_ids, ranked)


def parts_of(names: Sequence[str]) -> dict[str, slice]:
    """Question → its rows, which follow one another."""
    parts: dict[str, slice] = {}
    start = 0
    for end in range(1, len(names) + 1):
        if end == len(names) or names[end] != names[start]:
            parts[names[start]] = slice(start, end)
            start = end
    return parts
