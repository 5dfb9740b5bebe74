"""Rows of what is chosen on training questions: decisions, and weights of fusions; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar

MAIN, OTHERS = "F2", ("SetP", "SetR", "F2-published")


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
