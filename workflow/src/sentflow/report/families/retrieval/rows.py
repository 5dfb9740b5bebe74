"""The rows of the summaries of retrieval; undefined numbers NaN.

`retriever` (or `model`) is what searched, `position` its place among those that are shown, or among their controls;
`is_control` says that it knows nothing of the texts. Limits of a mean are those of a bootstrap over questions.
"""

import math
from dataclasses import dataclass

from sentflow.report.rows import Stored

F2, OTHERS_OF_DECISIONS = "F2", ("SetP", "SetR", "F2-published")
"""What decisions are judged by: the main measure, and the others."""


@dataclass(frozen=True)
class RetrievalRow(Stored, file="retrieval"):
    """The mean of one measure of a retriever on a question set, or on a group of its questions."""

    questions: str
    questions_title: str
    corpus: str
    corpus_title: str
    retriever: str
    retriever_title: str
    is_control: bool
    position: int
    # model, model_title, is_baseline: the encoder whose vectors were searched; the retriever itself, a baseline, where
    # no encoder was
    model: str
    model_title: str
    is_baseline: bool
    group: str  # empty for all questions; a group has no interval
    measure: str  # as ir-measures writes it
    is_main: bool  # whether tests and marks follow it
    value: float
    low: float
    high: float
    level: float
    # best_order, worst_order: the mean if documents with equal scores had been in the best, or in the worst, order
    best_order: float
    worst_order: float
    condensed: float  # without documents that nobody judged
    with_duplicates: float  # with the grades of judged documents for those of equal text
    # n_questions, n_left_out, n_unanswered, n_tied_at_cut: behind the number; without a relevant document; without an
    # answer; with ties at the cut
    n_questions: int
    n_left_out: int
    n_unanswered: int
    n_tied_at_cut: int
    n_relevant: int  # documents of all questions of the set
    n_documents: int
    depth: int  # documents per question at most
    judged_share: float  # of the first 10 documents, mean over questions
    relevant_grade: int
    data_version: str
    language: str
    # chance: what a random order reaches on average; NaN for groups, and where it is not known
    chance: float = math.nan
    # documents_cut, documents_lost, questions_cut, questions_lost: texts that the encoder cut off (of a document, any
    # passage), and the share of all tokens that it did not read. NaN where no encoder was searched, or it does not say.
    documents_cut: float = math.nan
    documents_lost: float = math.nan
    questions_cut: float = math.nan
    questions_lost: float = math.nan


@dataclass(frozen=True)
class RecallRow(Stored, file="recall"):
    """Mean recall of a retriever among the first documents of each question of a set; limits at some cutoffs alone."""

    questions: str
    questions_title: str
    model: str
    model_title: str
    is_control: bool
    position: int
    cutoff: int  # documents per question
    recall: float
    low: float
    high: float
    level: float
    n_questions: int
    relevant_grade: int
    data_version: str


@dataclass(frozen=True)
class QuestionGapRow(Stored, file="question-differences"):
    """What a retriever reached on one question more than the reference."""

    questions: str
    questions_title: str
    measure: str
    model: str
    model_title: str
    is_control: bool
    position: int
    reference: str
    reference_title: str
    question: str
    difference: float
    # mean, low, high: over all questions of the set, with the t interval at `level`
    mean: float
    low: float
    high: float
    level: float
    p_holm: float  # of the paired t-test, over all pairs of the set
    alpha: float
    # wins, ties, losses: questions on which the retriever is better, neither is, the reference is
    wins: int
    ties: int
    losses: int
    data_version: str


@dataclass(frozen=True)
class RetrievalCostRow(Stored, file="retrieval-costs"):
    """What a retriever reaches on a question set, and what it costs.

    The last four are NaN of retrievers that are made of others, and where nothing of the kind is counted.
    """

    questions: str
    questions_title: str
    model: str
    model_title: str
    is_control: bool
    position: int
    measure: str
    value: float
    low: float
    high: float
    level: float
    # search_seconds, encode_seconds: of all questions: ranking, with that of the retrievers that it is made of;
    # cutting the questions into terms and embedding them. NaN where another program searched.
    search_seconds: float
    encode_seconds: float
    index_bytes: float  # of the postings, weights or vectors that are searched
    n_asked: int
    n_documents: int
    data_version: str
    encoded_on: str = ""  # devices that embedded the questions, with the threads of a processor
    # terms_per_question, terms_per_document: mean number with a weight; of a passage where passages stand for documents
    terms_per_question: float = math.nan
    terms_per_document: float = math.nan
    expected_matches: float = math.nan  # Σ_j P(j ∈ question) P(j ∈ document) over the terms j
    # flops: multiplications for a question and a document: matches, or the width of a vector
    flops: float = math.nan

    @property
    def bytes_per_document(self) -> float:
        """Of what is searched."""
        return self.index_bytes / self.n_documents

    @property
    def searched_per_second(self) -> float:
        """Questions per second of ranking alone; NaN where that is not known or took no time."""
        return self.n_asked / self.search_seconds if self.search_seconds > 0 else math.nan

    @property
    def per_second(self) -> float:
        """The same with cutting and embedding the questions."""
        seconds = self.search_seconds + self.encode_seconds
        return self.n_asked / seconds if seconds > 0 else math.nan

    @property
    def seconds_each(self) -> float:
        """Seconds per question."""
        return (self.search_seconds + self.encode_seconds) / self.n_asked


@dataclass(frozen=True)
class StageRow(Stored, file="retrieval-stages"):
    """What a stage of a chain reaches on a question set by one measure, or what one seed or the reference does."""

    questions: str
    questions_title: str
    measure: str
    is_main: bool
    # stage, place: title and place from 1 on; empty and 0 for the reference, which is in no stage
    stage: str
    place: int
    # series, line: title of what is followed from stage to stage, and its place from 0 on; −1 for the reference
    series: str
    line: int
    # retriever, seed: as the configuration names it, or one of its seeds; `seed` is empty where `value` is no single
    # seed of several
    retriever: str
    seed: str
    # value, low, high: mean over questions, and over seeds where there are several; no interval for one of several
    value: float
    low: float
    high: float
    level: float
    n_questions: int
    n_seeds: int  # 0 where the retriever was not made with any, 1 where nothing is known of others
    # before, …: of the main measure: difference from the stage before, its interval, p adjusted for all tests of the
    # question set in these rows (Holm), and the seeds behind it, 0 where it is for new questions alone
    before: float
    before_low: float
    before_high: float
    before_p: float
    before_seeds: int
    # reference, …: the same for the difference from the reference
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
class DecisionRow(Stored, file="decisions"):
    """What the documents that a decision keeps of a retriever's run are worth on a question set."""

    questions: str
    questions_title: str
    retriever: str
    retriever_title: str
    decision: str
    decision_title: str
    system: str  # ``retriever/decision``, as the tests call it
    is_control: bool
    measure: str  # `F2`, or one of the others; tests and marks follow F2
    value: float
    low: float
    high: float
    level: float
    f2_of_means: float  # F2 of mean precision and mean recall; the same in all rows of a system
    documents_per_question: float
    # n_questions, n_left_out, n_empty: behind the number; without a relevant document; that were given none
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
    margin: float
    data_version: str
    language: str


@dataclass(frozen=True)
class WeightRow(Stored, file="fusion-weights"):
    """What a fusion reaches on a question set with some weights; `position` is among those with tuned weights."""

    questions: str
    questions_title: str
    retriever: str
    retriever_title: str
    position: int
    of: str  # titles of the retrievers that are fused, joined by ``; ``
    n_runs: int  # how many these are
    weights: str  # theirs, joined by ``; ``; they add up to 1
    last: float  # the weight of the last of them
    measure: str
    value: float
    low: float
    high: float
    level: float
    is_training: bool  # whether weights were chosen on this question set
    is_chosen: bool  # whether these weights were chosen on all training questions
    n_folds: int  # folds without which these weights were chosen
    # in_sample, nested, optimism: of the choice: on the training questions, by folds, and the difference
    in_sample: float
    nested: float
    optimism: float
    n_questions: int
    data_version: str
    language: str


@dataclass(frozen=True)
class IndexRow(Stored, file="retrieval-indexes"):
    """An approximate index beside the exact search of the same vectors, on a question set, for one recall."""

    questions: str
    questions_title: str
    corpus: str
    retriever: str
    retriever_title: str
    kind: str
    parameters: str
    n_vectors: int
    index_bytes: int
    vector_bytes: int
    build_seconds: float  # CPU seconds on one thread
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
    # low, high: t interval of the difference, index minus exact
    low: float
    high: float
    level: float
    margin: float
    p_equivalence: float  # of the test that the difference is smaller than the margin
    # per_second, per_second_exact: questions per CPU second on one thread, in one job
    per_second: float
    per_second_exact: float
