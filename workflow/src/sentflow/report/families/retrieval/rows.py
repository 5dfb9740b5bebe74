"""The row of the summary of retrieval; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class RetrievalRow:
    """The mean of one measure of a retriever on a question set, or on a group of its questions.

    Attributes
    ----------
    questions, questions_title, corpus, corpus_title
        Names and titles.
    retriever, retriever_title, is_control
        What searched, and whether it knows nothing of the texts.
    model, model_title, is_baseline
        The encoder whose vectors were searched; the retriever itself where no encoder was, which is a baseline then.
    group
        Empty for all questions.
    measure
        As ir-measures writes it.
    is_main
        Whether tests and marks follow it.
    value, low, high
        Mean over questions, and its bootstrap interval over questions at `level`; no interval for groups.
    best_order, worst_order
        The mean if documents with equal scores had been in the best, or in the worst, order.
    condensed, with_duplicates
        Without documents that nobody judged; with the grades of judged documents for those of equal text.
    n_questions, n_left_out, n_unanswered, n_tied_at_cut, n_documents, depth
        Questions behind the number; without a relevant document; without an answer; with ties at the cut; documents
        of the corpus; documents per question at most.
    judged_share
        Of the first 10 documents, mean over questions.
    documents_cut, documents_lost, questions_cut, questions_lost
        Texts that the encoder cut off (of a document, any passage), and the share of the tokens of all that it did not
        read, prompts and special tokens included. Undefined where no encoder was searched, or it does not say.
    relevant_grade, data_version, language
        Of the question set.
    """

    FILE: ClassVar[str] = "retrieval"

    questions: str
    questions_title: str
    corpus: str
    corpus_title: str
    retriever: str
    retriever_title: str
    is_control: bool
    model: str
    model_title: str
    is_baseline: bool
    group: str
    measure: str
    is_main: bool
    value: float
    low: float
    high: float
    level: float
    best_order: float
    worst_order: float
    condensed: float
    with_duplicates: float
    n_questions: int
    n_left_out: int
    n_unanswered: int
    n_tied_at_cut: int
    n_documents: int
    depth: int
    judged_share: float
    documents_cut: float
    documents_lost: float
    questions_cut: float
    questions_lost: float
    relevant_grade: int
    data_version: str
    language: str
