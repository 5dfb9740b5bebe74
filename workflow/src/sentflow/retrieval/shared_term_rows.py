"""The row of the file of shared terms of the questions worth reading; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar

RELEVANT, WRONG = "relevant", "wrong"


@dataclass(frozen=True)
class SharedTerm:
    """A term of a question and of a document, and what it adds to the score that one retriever gives the two.

    Attributes
    ----------
    question_set, retriever, question
        Names.
    which, document
        Why the document is here, ``relevant`` or ``wrong``, and its name: the relevant document of the highest grade,
        as in `sentflow.retrieval.hardest_rows.HardQuestion`, or the best ranked of those that are not relevant.
    rank, score
        Of the document; the rank is 0 where the run does not hold it.
    n_shared
        Terms that question and document share.
    rest, rest_share
        Part of the score that is no addend of a shared term, see `sentflow.retrieval.contributions.Explanation`, and
        that divided by the score.
    place, term
        Among the shared terms, from 1, the greatest addend first. Where nothing is shared, a single row says so, with
        place 0 and an empty term.
    in_question, in_document
        Weights of the term; for BM25 how often it occurs.
    addend, share
        Its part of the score, and that divided by the score.
    """

    FILE: ClassVar[str] = "shared-terms"

    question_set: str
    retriever: str
    question: str
    which: str
    document: str
    rank: int
    score: float
    n_shared: int
    rest: float
    rest_share: float
    place: int
    term: str
    in_question: float
    in_document: float
    addend: float
    share: float
