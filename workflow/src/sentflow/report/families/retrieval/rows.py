"""The rows of the summaries of retrieval; undefined numbers NaN."""

import math
from dataclasses import dataclass
from typing import ClassVar

F2, OTHERS_OF_DECISIONS = "F2", ("SetP", "SetR", "F2-published")
"""What decisions are judged by: the main measure, and the others."""


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


@dataclass(frozen=True)
class StageRow:
    """What a stage of a chain reaches on a question set by one measure, or what one seed or the reference does."""

    FILE: ClassVar[str] = "retrieval-stages"

    # questions, questions_title, measure, is_main: question set and measure; whether tests follow it
    questions: str
    questions_title: str
    measure: str
    is_main: bool
    # stage, place: title and place from 1 on; empty and 0 for the reference, which is in no stage
    stage: str
    place: int
    # series, line: title of what is followed from stage to stage, and its place from 0 on; for the reference its title
    # and −1
    series: str
    line: int
    # retriever, seed: as the configuration names it, or one of its seeds; `seed` is empty where `value` is no single
    # seed of several
    retriever: str
    seed: str
    # value, low, high, level: mean over questions, and over seeds where there are several. Its interval is for new
    # questions on the same documents, and for new seeds where there are several; none for a single seed of several.
    value: float
    low: float
    high: float
    level: float
    # n_questions, n_seeds: behind `value`; seeds are 0 where the retriever was not made with any, 1 where nothing is
    # known of others
    n_questions: int
    n_seeds: int
    # before, before_low, before_high, before_p, before_seeds: of the main measure: difference from the stage before,
    # its interval, p adjusted for all tests of the question set in these rows (Holm), and the seeds behind it, 0 where
    # it is for new questions alone
    before: float
    before_low: float
    before_high: float
    before_p: float
    before_seeds: int
    # reference, reference_low, reference_high, reference_p, reference_seeds: the same for the difference from the
    # reference
    reference: float
    reference_low: float
    reference_high: float
    reference_p: float
    reference_seeds: int
    data_version: str

    @property
    def is_mean(self) -> bool:
        """Whether it is what a stage reaches: neither a single seed of several nor the reference."""
        return bool(self.place) and not self.seed


@dataclass(frozen=True)
class DecisionRow:
    """What the documents that a decision keeps of a retriever's run are worth on a question set."""

    FILE: ClassVar[str] = "decisions"

    # questions, questions_title, retriever, retriever_title, decision, decision_title: names and titles
    questions: str
    questions_title: str
    retriever: str
    retriever_title: str
    decision: str
    decision_title: str
    system: str  # ``retriever/decision``, as the tests call it
    is_control: bool  # whether the retriever knows nothing of the texts
    measure: str  # F2, SetP, SetR or F2-published; tests and marks follow F2
    # value, low, high: mean over questions, and its bootstrap interval over questions at `level`
    value: float
    low: float
    high: float
    level: float
    f2_of_means: float  # F2 of mean precision and mean recall; the same in all rows of a system
    documents_per_question: float  # mean number of documents given
    # n_questions, n_left_out, n_empty: questions behind the number; without a relevant document; that were given none
    n_questions: int
    n_left_out: int
    n_empty: int
    parameters: str  # those of the decision, chosen ones included: ``most 5, window 2.6``
    tuned_on: str  # question sets that they were chosen on; empty where they are given
    # in_sample, nested, optimism: F2 on these questions, F2 by folds, and their difference
    in_sample: float
    nested: float
    optimism: float
    # n_candidates, n_within, within: parameters that were tried; whose F2 there is within `margin` of the best; and
    # between which values these lie
    n_candidates: int
    n_within: int
    within: str
    margin: float  # difference that counts as none
    # data_version, language: of the question set
    data_version: str
    language: str


@dataclass(frozen=True)
class WeightRow:
    """What a fusion reaches on a question set with some weights."""

    FILE: ClassVar[str] = "fusion-weights"

    # questions, questions_title, retriever, retriever_title: names and titles; `position` is that of the fusion among
    # those with tuned weights
    questions: str
    questions_title: str
    retriever: str
    retriever_title: str
    position: int
    of: str  # titles of the retrievers that are fused, joined by ``; ``
    n_runs: int  # how many these are
    weights: str  # theirs, joined by ``; ``; they add up to 1
    last: float  # the weight of the last of them
    # measure, value, low, high: mean over questions, and its bootstrap interval over questions at `level`
    measure: str
    value: float
    low: float
    high: float
    level: float
    is_training: bool  # whether weights were chosen on this question set
    is_chosen: bool  # whether these weights were chosen on all training questions
    n_folds: int  # folds without which these weights were chosen
    # in_sample, nested, optimism: of the choice: on the training questions, by folds, and the difference; the same in
    # all rows of a fusion
    in_sample: float
    nested: float
    optimism: float
    # n_questions, data_version, language: of the question set
    n_questions: int
    data_version: str
    language: str


@dataclass(frozen=True)
class IndexRow:
    """An approximate index beside the exact search of the same vectors, on a question set, for one recall."""

    FILE: ClassVar[str] = "retrieval-indexes"

    # questions, questions_title, corpus, retriever, retriever_title: names and titles
    questions: str
    questions_title: str
    corpus: str
    retriever: str
    retriever_title: str
    # kind, parameters: of the index
    kind: str
    parameters: str
    # n_vectors, index_bytes, vector_bytes, build_seconds: vectors; size of the index and of the vectors; CPU seconds
    # that it took to build, on one thread
    n_vectors: int
    index_bytes: int
    vector_bytes: int
    build_seconds: float
    # n_questions, n_judged: questions of recall; with a relevant document
    n_questions: int
    n_judged: int
    # k, recall, recall_p5: share of the k best documents of the exact search that the index finds: mean over the
    # questions, and their 5th percentile. Documents with the score of the k-th count.
    k: int
    recall: float
    recall_p5: float
    # measure, value, value_exact: the main measure by the index, and by the exact search
    measure: str
    value: float
    value_exact: float
    # low, high, level: t interval of the difference, index minus exact
    low: float
    high: float
    level: float
    # margin, p_equivalence: of the test that the difference is smaller than the margin
    margin: float
    p_equivalence: float
    # per_second, per_second_exact: questions per CPU second on one thread, in one job
    per_second: float
    per_second_exact: float
