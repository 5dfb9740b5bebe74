"""Duplicate rows: exact and near duplicates, contradictions, and how many groups are split across folds."""

from collections.abc import Iterable, Sequence

import numpy as np

from sentflow.audit.ngrams import ngram_sets
from sentflow.audit.similar import SimilarPairs, similar_pairs
from sentflow.probing.draws import FoldPlan
from sentflow.texts.table import TaskTable

NOT_DRAWN = -1


def content_numbers(table: TaskTable) -> np.ndarray:
    """(n,) int64: rows with the same text, or pair of texts, have the same number; numbers in order of appearance."""
    return numbered(_contents(table))


def numbered(names: Iterable[object]) -> np.ndarray:
    """(n,) int64: equal names have equal numbers, from 0 in order of appearance."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def contradicting_rows(contents: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Sorted rows whose content stands in the table with another label too."""
    lowest = np.full(contents.max() + 1, np.iinfo(np.int64).max)
    highest = np.full(contents.max() + 1, -1)
    np.minimum.at(lowest, contents, labels)
    np.maximum.at(highest, contents, labels)
    rows: np.ndarray = np.flatnonzero((lowest != highest)[contents])
    return rows


def near_duplicates(table: TaskTable, contents: np.ndarray, *, threshold: float) -> SimilarPairs:
    """All pairs of rows of different content whose texts are similar; of pairs of texts both must be."""
    _, representative = np.unique(contents, return_index=True)
    sides = [[texts[row] for row in representative] for texts in (table.text_a, table.text_b) if texts]
    pairs = similar_pairs(ngram_sets(sides), threshold=threshold)
    rows_of = np.split(np.argsort(contents, kind="stable"), np.cumsum(np.bincount(contents))[:-1])
    first = [np.repeat(rows_of[a], len(rows_of[b])) for a, b in _each(pairs.first, pairs.second)]
    second = [np.tile(rows_of[b], len(rows_of[a])) for a, b in _each(pairs.first, pairs.second)]
    counts = [len(rows) for rows in first]
    one, two = _joined(first), _joined(second)
    order = np.lexsort((np.maximum(one, two), np.minimum(one, two)))
    return SimilarPairs(
        first=np.minimum(one, two)[order],
        second=np.maximum(one, two)[order],
        similarity=np.repeat(pairs.similarity, counts)[order],
    )


def folds_of_rows(plans: Iterable[FoldPlan], n_rows: int) -> np.ndarray:
    """(repetitions, n_rows) int64: the fold that tests each row, `NOT_DRAWN` where a repetition leaves it out."""
    folds: dict[int, np.ndarray] = {}
    for plan in plans:
        row = folds.setdefault(plan.repetition, np.full(n_rows, NOT_DRAWN, np.int64))
        row[plan.test] = plan.fold
    return np.stack([folds[repetition] for repetition in sorted(folds)])


def torn_apart(groups: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """(repetitions, n) bool: which rows have another row of their group in another fold."""
    torn = np.zeros(folds.shape, bool)
    for line, fold_of in zip(torn, folds, strict=True):
        drawn = np.flatnonzero(fold_of != NOT_DRAWN)
        lowest = np.full(groups.max() + 1, np.iinfo(np.int64).max)
        highest = np.full(groups.max() + 1, NOT_DRAWN)
        np.minimum.at(lowest, groups[drawn], fold_of[drawn])
        np.maximum.at(highest, groups[drawn], fold_of[drawn])
        line[drawn] = (lowest < highest)[groups[drawn]]
    return torn


def pairs_torn_apart(first: np.ndarray, second: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """(repetitions, n) bool: which rows are paired with a row in another fold."""
    torn = np.zeros(folds.shape, bool)
    for line, fold_of in zip(torn, folds, strict=True):
        one, two = fold_of[first], fold_of[second]
        apart = (one != NOT_DRAWN) & (two != NOT_DRAWN) & (one != two)
        line[first[apart]] = line[second[apart]] = True
    return torn


def share_of_drawn(rows: np.ndarray, folds: np.ndarray) -> float:
    """Share of the drawn rows that are marked in (repetitions, n) `rows`; mean over repetitions."""
    return float((rows.sum(axis=1) / (folds != NOT_DRAWN).sum(axis=1)).mean())


def _contents(table: TaskTable) -> list[object]:
    return list(zip(table.text_a, table.text_b, strict=True)) if table.text_b else list(table.text_a)


def _each(first: np.ndarray, second: np.ndarray) -> Iterable[tuple[int, int]]:
    return zip(first.tolist(), second.tolist(), strict=True)


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
