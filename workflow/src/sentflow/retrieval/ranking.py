"""Ranked documents, and the one rule for ties: documents with equal scores keep the order of their corpus."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.files.parquet import Columns, numbers_of, read_described, readable, write_described

_GROUPS_PER_RANK = 8  # so that few groups hold two of the best; more groups take longer to order


@dataclass(frozen=True)
class Ranked:
    """The best documents of one question."""

    rows: np.ndarray  # (k,) int64 rows of documents in the corpus, best first
    scores: np.ndarray  # (k,) float64, descending; equal scores in the order of the corpus
    # tied_at_cut: documents with the score of the last one that only their place in the corpus cut off
    tied_at_cut: int = 0

    def __len__(self) -> int:
        return len(self.rows)


NOTHING = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))


def top(scores: np.ndarray, k: int, *, above: float = -np.inf, rows: np.ndarray | None = None) -> Ranked:
    """The k >= 1 best documents, fewer where there are fewer.

    `scores`: (n,) of all documents of the corpus, or of (n,) int64 `rows`. `above`: only those with a greater score.
    """
    rows = np.arange(len(scores)) if rows is None else rows
    candidates = np.flatnonzero(scores >= _bound(scores, k))
    candidates = candidates[scores[candidates] > above]
    values = scores[candidates]
    n_tied = 0
    if len(candidates) > k:
        least = np.partition(values, len(values) - k)[len(values) - k]
        kept = values >= least
        candidates, values = candidates[kept], values[kept]
        n_tied = len(candidates) - k
    best = np.lexsort((rows[candidates], -values))[:k]
    return Ranked(rows[candidates[best]], values[best].astype(np.float64), n_tied)


def _bound(scores: np.ndarray, k: int) -> float:
    """A number that at least k scores reach, for the greatest of k groups of scores do; −∞ if there are too few."""
    n_groups = min(len(scores), _GROUPS_PER_RANK * k)
    whole = len(scores) - len(scores) % max(n_groups, 1)
    # a maximum over the first axis is one pass over rows that lie together; what is left over is not needed
    greatest = scores[:whole].reshape(-1, max(n_groups, 1)).max(axis=0) if whole else scores[:0]
    if np.isnan(greatest).any() or np.isnan(scores[whole:]).any():
        raise DataError(f"{int(np.isnan(scores).sum())} of {len(scores)} scores are not numbers (NaN).")
    if n_groups <= k:
        return -np.inf
    return float(np.partition(greatest, n_groups - k)[n_groups - k])


def merged(parts: Iterable[Ranked], k: int) -> Ranked:
    """The k best of several parts of a corpus, each of which was searched for its k best."""
    parts = list(parts)
    rows, scores = (np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "scores"))
    best = top(scores, k, rows=rows)
    if not len(best):
        return best
    # What a part cut off at this score is cut off here, too
    cut = sum(part.tied_at_cut for part in parts if len(part) and part.scores[-1] == best.scores[-1])
    return Ranked(best.rows, best.scores, best.tied_at_cut + cut)


@dataclass(frozen=True)
class Run:
    """What a retriever found for each question."""

    document_ids: Sequence[str]  # n identifiers in the order of the corpus
    ranked: Mapping[str, Ranked]  # question → its best documents; one that found nothing may be missing

    def documents(self, question: str) -> list[str]:
        """The identifiers of the best documents of a question, best first."""
        return [self.document_ids[row] for row in self.ranked[question].rows.tolist()]

    def without_same_ids(self, k: int) -> "Run":
        """The k best documents of each question without the one that has the name of the question."""
        row_of = {document: row for row, document in enumerate(self.document_ids)}
        left = {name: _without(found, row_of.get(name, -1), k) for name, found in self.ranked.items()}
        return replace(self, ranked=left)


def _without(found: Ranked, row: int, k: int) -> Ranked:
    kept = found.rows != row
    rows, scores = found.rows[kept], found.scores[kept]
    n_tied = int((scores[k:] == scores[k - 1]).sum()) if len(scores) > k else 0
    if len(scores) and scores[:k][-1] == found.scores[-1]:
        n_tied += found.tied_at_cut
    return Ranked(rows[:k], scores[:k], n_tied)


def blocks(documents: np.ndarray, most: int) -> Iterator[slice]:
    """Slices of at most `most` vectors, or of one document, by (n,) int64 ascending rows of documents."""
    start, size = 0, even(len(documents), most)
    while start < len(documents):
        end = min(start + size, len(documents))
        if end < len(documents):
            last = documents[end]
            whole = int(np.searchsorted(documents, last, side="left"))
            end = whole if whole > start else int(np.searchsorted(documents, last, side="right"))
        yield slice(start, end)
        start = end


def even(n: int, most: int) -> int:
    """Size of parts that are about equal: libraries round products of a small rest in another way."""
    return -(-n // max(1, -(-n // most))) or 1


def columns_of(ranked: Mapping[str, Ranked], document_ids: Sequence[str]) -> Columns:
    """Columns question, document, score, best first within a question."""
    scores = [one.scores for one in ranked.values()]
    return {
        "question": [name for name, one in ranked.items() for _ in range(len(one))],
        "document": [document_ids[row] for one in ranked.values() for row in one.rows.tolist()],
        "score": np.concatenate(scores) if scores else np.zeros(0),
    }


def write_run(path: Path | str, run: Run, about: Mapping[str, Any]) -> None:
    """Write a run as Parquet, see `columns_of`; `about` says at least ``questions`` and ``retriever``."""
    ties = {name: one.tied_at_cut for name, one in run.ranked.items() if one.tied_at_cut}
    write_described(path, columns_of(run.ranked, run.document_ids), {**about, "tied_at_cut": ties})


def read_run(path: Path | str, document_ids: Sequence[str]) -> tuple[dict[str, Any], Run]:
    """What a run says of itself, and what it found among the documents of its corpus."""
    with readable(path, "run"):
        about, stored = read_described(path)
        documents = stored.column("document").to_pylist()
        named = set(documents)
        row_of = {document: row for row, document in enumerate(document_ids) if document in named}
        rows = np.array([row_of[name] for name in documents], dtype=np.int64)
        scores, ties = numbers_of(stored.column("score")), about["tied_at_cut"]
        parts = parts_of(stored.column("question").to_pylist()).items()
        ranked = {name: Ranked(rows[part], scores[part], ties.get(name, 0)) for name, part in parts}
        return about, Run(document_ids, ranked)


def parts_of(names: Sequence[str]) -> dict[str, slice]:
    """Question → its rows, which follow one another."""
    parts, start = {}, 0
    for name, own in groupby(names):
        stop = start + len([*own])
        parts[name] = slice(start, stop)
        start = stop
    return parts
