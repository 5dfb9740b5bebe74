"""Which terms found a document: the score of a question and a document as a sum over the terms that they share.

There is a function per kind of score. Each gives the addends of one question and one document, and what is said of
them (order, shares, what is left) is the same for all.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from sentflow.encoders.vectors.sparse import TermName
from sentflow.encoders.vectors.terms import TermEmbeddings
from sentflow.retrieval.bm25 import Bm25


@dataclass(frozen=True)
class Contribution:
    """What a shared term adds to a score."""

    term: str  # its name
    # in_question, in_document: its weights; for BM25 how often it occurs
    in_question: float
    in_document: float
    addend: float  # its part of the score


@dataclass(frozen=True)
class Explanation:
    """A score as a sum."""

    shared: tuple[Contribution, ...]  # the terms of both texts, the greatest addend first
    # rest: what is no addend of a shared term: variants of BM25 with `delta` give every document something for each
    # term of the question that it lacks
    rest: float = 0.0

    @property
    def score(self) -> float:
        """Sum of all addends and the rest, in float64."""
        return math.fsum([*(one.addend for one in self.shared), self.rest])

    def share(self, addend: float) -> float:
        """Part of the score; NaN where the score is 0. Shares add up to 1 with that of the rest."""
        return addend / self.score if self.score else math.nan

    def agrees_with(self, score: float, *, tolerance: float = 1e-4) -> bool:
        """Whether this is how a score came about, up to rounding.

        `tolerance`: of the sum of the absolute addends. Runs of BM25 add up in float32, where a sum of n numbers is
        off by n · 6e-8 of it at most: this allows for questions of 1,600 terms.
        """
        size = math.fsum([*(abs(one.addend) for one in self.shared), abs(self.rest)])
        return abs(self.score - score) <= tolerance * size


def of_weights(question: csr_array, document: csr_array, name: TermName, *, step: float = 1.0) -> Explanation:
    """A product of weights, term by term.

    `question`, `document`: (1, d), no number stored twice; see `sentflow.retrieval.sparse.search`. `step`: what
    weights of the document are multiplied by, see `sentflow.retrieval.sparse.Impacts`.
    """

    def products(asked: np.ndarray, held: np.ndarray) -> np.ndarray:
        found: np.ndarray = question.data[asked].astype(np.float64) * document.data[held] * step
        return found

    return _of_shared(question, document, products, name, step)


def of_vectors(question: TermEmbeddings, document: TermEmbeddings, name: TermName) -> Explanation:
    """The products of the vectors of shared terms, e^q_j · e^d_j of term j.

    `question`, `document`: of one text each; see `sentflow.retrieval.second_stage.reordered`. Half-precision values
    are multiplied in float64, as there. The result has the weights of the terms, which are no factor of an addend.
    """

    def products(asked: np.ndarray, held: np.ndarray) -> np.ndarray:
        pair = question.vectors[asked].astype(np.float64), document.vectors[held].astype(np.float64)
        found: np.ndarray = np.einsum("ij,ij->i", *pair)
        return found

    return _of_shared(question.weights, document.weights, products, name)


def of_terms(index: Bm25, row: int, question: Sequence[str], document: Sequence[str]) -> Explanation:
    """BM25, term by term, as its own index counts it; a term that the question repeats counts each time."""
    asked, held = Counter(question), Counter(document)
    addends = {term: n * float(index.scores([term])[row]) for term, n in sorted(asked.items())}
    return _explained(
        (Contribution(term, asked[term], held[term], addends[term]) for term in addends if term in held),
        rest=math.fsum(addend for term, addend in addends.items() if term not in held),
    )


def _of_shared(
    question: csr_array,
    document: csr_array,
    products: Callable[[np.ndarray, np.ndarray], np.ndarray],
    name: TermName,
    step: float = 1.0,
) -> Explanation:
    """The terms that have a weight in both, with a product of their entries in the one and in the other."""
    columns, asked, held = np.intersect1d(
        question.indices, document.indices, assume_unique=True, return_indices=True
    )
    weights = question.data[asked].tolist(), (document.data[held].astype(np.float64) * step).tolist()
    rows = zip(columns.tolist(), *weights, products(asked, held).tolist(), strict=True)
    return _explained(Contribution(name(column), *numbers) for column, *numbers in rows)


def _explained(found: Iterable[Contribution], rest: float = 0.0) -> Explanation:
    """In order: of equal addends the term that comes first stays first."""
    return Explanation(tuple(sorted(found, key=lambda one: -one.addend)), rest)
