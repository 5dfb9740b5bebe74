"""BM25 whose questions are expanded by the terms of the documents that it ranks first: RM3.

Lavrenko & Croft 2001 (doi 10.1145/383952.383972), relevance model 1, mixed with the question as in Abdul-Jaleel et al.
2004 (TREC 2004, UMass). A document's likelihood of the question is its share of the scores of all feedback documents,
as in Anserini's BM25+RM3.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.retrievers.bm25 import Bm25, answer
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.settings import BM25RM3


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents that BM25 ranks first by the weighted terms of expanded questions."""
    by = job.settings.by
    assert isinstance(by, BM25RM3)
    answer(job, inputs, partial(expanded, settings=by), search_weighted)


def expanded(question: Sequence[str], index: Bm25, settings: BM25RM3) -> dict[str, float]:
    """λ P(w | question) + (1 − λ) P(w | relevance model): term → weight; weights add up to 1.

    P(w | question) is the share of w in the terms of the question; P(w | relevance model) the mean of its shares in
    the feedback documents, weighted by their scores, of the terms with the greatest means (equal ones by their
    letters), scaled to add up to 1. A question that finds nothing stays as it is.
    """
    shares = _shares(Counter(question))
    [feedback] = index.search([question], settings.feedback_documents)
    scores = feedback.scores.clip(min=0)
    if not scores.sum():
        return shares
    means: Counter[str] = Counter()
    for row, score in zip(feedback.rows.tolist(), (scores / scores.sum()).tolist(), strict=True):
        for term, share in _shares(index.index.terms_of(row)).items():
            means[term] += score * share
    chosen = sorted(means, key=lambda term: (-means[term], term))[: settings.feedback_terms]
    total = sum(means[term] for term in chosen)
    kept = settings.original_weight
    weights = {term: kept * share for term, share in shares.items()}
    for term in chosen:
        weights[term] = weights.get(term, 0.0) + (1 - kept) * means[term] / total
    return {term: weight for term, weight in weights.items() if weight}


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {term: n / total for term, n in counts.items()}


def search_weighted(index: Bm25, questions: Iterable[Mapping[str, float]], k: int) -> Iterator[Ranked]:
    """The k best documents of each question that hold at least one of its terms."""
    for weights in questions:
        scores = sum(
            (weight * index.scores([term]).astype(np.float64) for term, weight in weights.items()),
            start=index.scores([]).astype(np.float64),
        )
        yield top(np.where(index.holds([*weights]), scores, -np.inf), k)
