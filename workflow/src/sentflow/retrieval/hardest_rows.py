"""The row of the file of questions worth reading; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar

HARDEST, APART = "hardest", "apart"


@dataclass(frozen=True)
class HardQuestion:
    """A question that most retrievers fail on, or on which two of them differ most.

    Attributes
    ----------
    question_set, view, place
        The set; why the question is here, ``hardest`` or ``apart``; its place in that list, from 1.
    measure
        What questions were scored by.
    question, group, text
        Identifier, group (empty for none) and text.
    mean, n_retrievers
        Mean over the retrievers that are no controls, and their number.
    n_relevant, n_documents
        Relevant documents of the question, and documents of the corpus.
    document, document_text, grade
        The relevant document of the highest grade, in the order of judgements; the start of its text.
    a, value_a, rank_a
        The first of the two retrievers, its value on the question, and the rank of `document` in its run; 0 where it
        is not there.
    first_a, first_text_a, first_grade_a
        The document that it ranks first, the start of its text, and its grade, NaN where nobody judged it. Empty where
        it found nothing.
    b, value_b, rank_b, first_b, first_text_b, first_grade_b
        The same of the second; empty where one retriever was measured.
    """

    FILE: ClassVar[str] = "hard-questions"

    question_set: str
    view: str
    place: int
    measure: str
    question: str
    group: str
    text: str
    mean: float
    n_retrievers: int
    n_relevant: int
    n_documents: int
    document: str
    document_text: str
    grade: int
    a: str
    value_a: float
    rank_a: int
    first_a: str
    first_text_a: str
    first_grade_a: float
    b: str
    value_b: float
    rank_b: int
    first_b: str
    first_text_b: str
    first_grade_b: float
