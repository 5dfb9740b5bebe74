"""Ranked documents, and the one rule for ties: documents with equal scores keep the order of their corpus."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sentflow.errors import DataError


@dataclass(frozen=True)
class Ranked:
    """The best documents of one question.

    Attributes
    ----------
    rows
        (k,) int64 rows of documents in the corpus, best first.
    scores
        (k,) float64, descending; equal scores in the order of the corpus.
    tied_at_cut
        Documents behind the last one that have its score, and were cut off by their place in the corpus alone.
    """

    rows: np.ndarray
    scores: np.ndarray
    tied_at_cut: int = 0

    def __len__(self) -> int:
        return len(self.rows)


def top(scores: np.ndarray, k: int, *, above: float = -np.inf, rows: np.ndarray | None = None) -> Ranked:
    """The k best documents.

    Parameters
    ----------
    scores
        (n,) of all documents, or of `rows`.
    k
        At least 1; fewer are given where there are fewer.
    above
        Only documents with a greater score.
    rows
        (n,) int64 rows of the documents that were scored; all of the corpus without it.

    Raises
    ------
    DataError
        A score is not a number.
    """
    if np.isnan(scores).any():
        raise DataError(f"{int(np.isnan(scores).sum())} of {len(scores)} scores are not numbers (NaN).")
    rows = np.arange(len(scores)) if rows is None else rows
    candidates = np.flatnonzero(scores > above)
    n_tied = 0
    if len(candidates) > k:
        values = scores[candidates]
        least = np.partition(values, len(values) - k)[len(values) - k]
        n_tied = int((values >= least).sum()) - k
        candidates = candidates[values >= least]
    best = candidates[np.lexsort((rows[candidates], -scores[candidates]))[:k]]
    return Ranked(rows[best], scores[best].astype(np.float64), n_tied)


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
    """What a retriever found for each question.

    Attributes
    ----------
    document_ids
        n identifiers in the order of the corpus.
    ranked
        Question → its best documents. A question for which nothing was found has none.
    """

    document_ids: Sequence[str]
    ranked: Mapping[str, Ranked]

    def documents(self, question: str) -> list[str]:
        """The identifiers of the best documents of a question, best first."""
        return [self.document_ids[row] for row in self.ranked[question].rows.tolist()]
