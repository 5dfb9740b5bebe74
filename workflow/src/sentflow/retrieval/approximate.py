"""Approximate search: an index that is built once, what is found with it, and how much of the exact search that is.

A back end names vectors that are likely to be among the best; their scores are those of the exact search, up to
rounding. So a back end only chooses, whatever it keeps in place of the vectors.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

from sentflow.files.io import refuse_changed
from sentflow.retrieval.indexes.contract import Index, IndexModule, Searched
from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.settings import IndexSettings

_QUESTIONS = 256  # that are searched at a time


def check(settings: IndexSettings) -> None:
    """Refuse a machine on which an index cannot be built or read; asked before anything large is read.

    Raises
    ------
    ConfigError
        Its library is not installed, or does not run here.
    """
    _back_end(settings).check()


def build(corpus: Searched, settings: IndexSettings) -> Index:
    """An index of the vectors of a corpus; the same one on one machine, for one thread builds it.

    For what it raises, see `sentflow.retrieval.indexes.contract.IndexModule.build`.
    """
    return _back_end(settings).build(corpus.indexed(), settings)


def write_index(path: Path, index: Index) -> None:
    """Write an index under its name, whole or not at all."""
    part = path.with_name(path.name + ".part")
    index.write(part)
    part.replace(path)


def read_index(path: Path, settings: IndexSettings, corpus: Searched) -> Index:
    """Read an index of a corpus that is that of the digest beside it.

    Raises
    ------
    DataError
        The file has changed.
    ConfigError
        See `check`.
    """
    refuse_changed(path)
    return _back_end(settings).read(path, settings, corpus.vectors.values.shape[1])


def search(index: Index, questions: Any, corpus: Searched, k: int) -> Iterator[Ranked]:
    """The best documents of each question among those that an index finds.

    What is found is scored again by the vectors themselves. With several vectors per document, so many more are asked
    for as there are per document.

    Parameters
    ----------
    index
        Of `build` or `read_index`.
    questions
        (q, d) float32, dense or in compressed rows (CSR) as the vectors of the corpus are.
    corpus
        That the index was built of.
    k
        Documents at most; fewer are found where what is looked into holds fewer.
    """
    documents = corpus.vectors.documents
    n, n_documents = len(documents), len(np.unique(documents))
    wanted = min(n, k * -(-n // max(1, n_documents)))
    for start in range(0, questions.shape[0], _QUESTIONS):
        asked = corpus.asked(questions[start : start + _QUESTIONS])
        for row, found in enumerate(index.nearest(asked, wanted)):
            yield _scored(corpus, asked, row, np.sort(found), k)


def _scored(corpus: Searched, asked: Any, row: int, rows: np.ndarray, k: int) -> Ranked:
    scores, documents = corpus.scores(asked, row, rows), corpus.vectors.documents[rows]
    first = np.flatnonzero(np.diff(documents, prepend=-1))
    if len(first) < len(documents):
        scores, documents = np.maximum.reduceat(scores, first), documents[first]
    return top(scores, k, above=corpus.above, rows=documents)


def _back_end(settings: IndexSettings) -> IndexModule:
    return cast("IndexModule", import_module(settings.module))


def recalls(found: Sequence[Ranked], exact: Sequence[Ranked], k: int) -> np.ndarray:
    """(q,) share of the k best documents that an approximate search finds, NaN for a question that has none.

    A document counts if its score is at least that of the k-th of the exact search, up to rounding: where several have
    that score, any of them is as good.
    """
    values = np.full(len(found), np.nan)
    for row, (one, whole) in enumerate(zip(found, exact, strict=True)):
        best = whole.scores[:k]
        if len(best):
            least = best[-1] - 1e-5 * max(1e-3, abs(float(best[-1])))
            values[row] = min(1.0, float((one.scores[:k] >= least).sum()) / len(best))
    return values
