"""The rows of the summaries of retrieval; undefined numbers NaN."""

import math
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class RetrievalRow:
    """The mean of one measure of a retriever on a question set, or on a group of its questions."""

    FILE: ClassVar[str] = "retrieval"

    # questions, questions_title, corpus, corpus_title: names and titles
    questions: str
    questions_title: str
    corpus: str
    corpus_title: str
    # retriever, retriever_title, is_control, position: what searched, whether it knows nothing of the texts, and its
    # place among those that are shown, or among their controls
    retriever: str
    retriever_title: str
    is_control: bool
    position: int
    # model, model_title, is_baseline: the encoder whose vectors were searched; the retriever itself where no encoder
    # was, which is a baseline then
    model: str
    model_title: str
    is_baseline: bool
    group: str  # empty for all questions
    measure: str  # as ir-measures writes it
    is_main: bool  # whether tests and marks follow it
    # value, low, high: mean over questions, and its bootstrap interval over questions at `level`; no interval for
    # groups
    value: float
    low: float
    high: float
    level: float
    # best_order, worst_order: the mean if documents with equal scores had been in the best, or in the worst, order
    best_order: float
    worst_order: float
    # condensed, with_duplicates: without documents that nobody judged; with the grades of judged documents for those
    # of equal text
    condensed: float
    with_duplicates: float
    # n_questions, n_left_out, n_unanswered, n_tied_at_cut, n_relevant, n_documents, depth: questions behind the
    # number; without a relevant document; without an answer; with ties at the cut; relevant documents of all questions
    # of the set; documents of the corpus; documents per question at most
    n_questions: int
    n_left_out: int
    n_unanswered: int
    n_tied_at_cut: int
    n_relevant: int
    n_documents: int
    depth: int
    judged_share: float  # of the first 10 documents, mean over questions
    # relevant_grade, data_version, language: of the question set
    relevant_grade: int
    data_version: str
    language: str
    # chance: what a random order of the documents reaches on average; NaN for groups, and where it is not known
    chance: float = math.nan
    # documents_cut, documents_lost, questions_cut, questions_lost: texts that the encoder cut off (of a document, any
    # passage), and the share of the tokens of all that it did not read, prompts and special tokens included. Undefined
    # where no encoder was searched, or it does not say.
    documents_cut: float = math.nan
    documents_lost: float = math.nan
    questions_cut: float = math.nan
    questions_lost: float = math.nan


@dataclass(frozen=True)
class RecallRow:
    """Mean recall of a retriever among the first documents of each question of a set."""

    FILE: ClassVar[str] = "recall"

    questions: str
    questions_title: str
    # model, model_title, is_control, position: the retriever, see `RetrievalRow`
    model: str
    model_title: str
    is_control: bool
    position: int
    cutoff: int  # documents per question
    # recall, low, high: mean over questions, and its bootstrap interval over questions at `level`; no interval at most
    # cutoffs
    recall: float
    low: float
    high: float
    level: float
    n_questions: int
    relevant_grade: int  # from which grade on a document is relevant
    data_version: str


@dataclass(frozen=True)
class QuestionGapRow:
    """What a retriever reached on one question more than the reference."""

    FILE: ClassVar[str] = "question-differences"

    questions: str
    questions_title: str
    measure: str
    # model, model_title, is_control, position: the retriever, see `RetrievalRow`
    model: str
    model_title: str
    is_control: bool
    position: int
    # reference, reference_title: the retriever that it is compared with
    reference: str
    reference_title: str
    # question, difference: identifier, and value of `measure` less that of the reference
    question: str
    difference: float
    # mean, low, high: over all questions of the set, with the t interval at `level`
    mean: float
    low: float
    high: float
    level: float
    # p_holm, alpha: of the paired t-test, adjusted over all pairs of the set, and up to which that counts as a
    # difference
    p_holm: float
    alpha: float
    # wins, ties, losses: questions on which the retriever is better, neither is, the reference is
    wins: int
    ties: int
    losses: int
    data_version: str


@dataclass(frozen=True)
class RetrievalCostRow:
    """What a retriever reaches on a question set, and what it costs.

    The last four are NaN of retrievers that are made of others, and where nothing of the kind is counted.
    """

    FILE: ClassVar[str] = "retrieval-costs"

    questions: str
    questions_title: str
    # model, model_title, is_control, position: the retriever, see `RetrievalRow`
    model: str
    model_title: str
    is_control: bool
    position: int
    measure: str
    # value, low, high: of the main measure, see `RetrievalRow`
    value: float
    low: float
    high: float
    level: float
    # search_seconds, encode_seconds: of all questions: ranking, with that of the retrievers that it is made of;
    # cutting the questions into terms and embedding them by the encoders of these, 0 without either. NaN where another
    # program searched.
    search_seconds: float
    encode_seconds: float
    # index_bytes: of what is searched: postings of terms, weights of terms, or vectors of the documents; NaN where not
    # known
    index_bytes: float
    n_asked: int  # questions that were searched
    n_documents: int
    data_version: str
    # encoded_on: devices that embedded the questions, with the threads of a processor; empty without an encoder
    encoded_on: str = ""
    # terms_per_question, terms_per_document: mean number of terms with a weight; of a passage where passages stand for
    # documents
    terms_per_question: float = math.nan
    terms_per_document: float = math.nan
    # expected_matches: Σ_j P(j ∈ q) P(j ∈ d) over the terms j: how many a question and a document, or passage, share
    # on average
    expected_matches: float = math.nan
    # flops: multiplications for a question and a document, on average: `expected_matches`, or the width of a vector,
    # times passages per document
    flops: float = math.nan

    @property
    def bytes_per_document(self) -> float:
        """Of what is searched."""
        return self.index_bytes / self.n_documents

    @property
    def searched_per_second(self) -> float:
        """Questions per second of ranking alone; NaN where that is not known or took no time."""
        return _rate(self.n_asked, self.search_seconds)

    @property
    def per_second(self) -> float:
        """The same with cutting and embedding the questions."""
        return _rate(self.n_asked, self.search_seconds + self.encode_seconds)

    @property
    def seconds_each(self) -> float:
        """Seconds per question."""
        return (self.search_seconds + self.encode_seconds) / self.n_asked


def _rate(n: int, seconds: float) -> float:
    return n / seconds if seconds > 0 else math.nan
