"""Rows of what is chosen on training questions: decisions, and weights of fusions; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar

MAIN, OTHERS = "F2", ("SetP", "SetR", "F2-published")


@dataclass(frozen=True)
class DecisionRow:
    """What the documents that a decision keeps of a retriever's run are worth on a question set.

    Attributes
    ----------
    questions, questions_title, retriever, retriever_title, decision, decision_title
        Names and titles.
    system
        ``retriever/decision``, as the tests call it.
    is_control
        Whether the retriever knows nothing of the texts.
    measure
        F2, SetP, SetR or F2-published; tests and marks follow F2.
    value, low, high
        Mean over questions, and its bootstrap interval over questions at `level`.
    f2_of_means
        F2 of mean precision and mean recall; the same in all rows of a system.
    documents_per_question
        Mean number of documents given.
    n_questions, n_left_out, n_empty
        Questions behind the number; without a relevant document; that were given none.
    parameters
        Those of the decision, chosen ones included: ``most 5, window 2.6``.
    tuned_on
        Question sets that they were chosen on; empty where they are given.
    in_sample, nested, optimism
        F2 on these questions, F2 by folds, and their difference.
    n_candidates, n_within, within
        Parameters that were tried; whose F2 there is within `margin` of the best; and between which values these lie.
    margin
        Difference that counts as none.
    data_version, language
        Of the question set.
    """

    FILE: ClassVar[str] = "decisions"

    questions: str
    questions_title: str
    retriever: str
    retriever_title: str
    decision: str
    decision_title: str
    system: str
    is_control: bool
    measure: str
    value: float
    low: float
    high: float
    level: float
    f2_of_means: float
    documents_per_question: float
    n_questions: int
    n_left_out: int
    n_empty: int
    parameters: str
    tuned_on: str
    in_sample: float
    nested: float
    optimism: float
    n_candidates: int
    n_within: int
    within: str
    margin: float
    data_version: str
    language: str


@dataclass(frozen=True)
class WeightRow:
    """What a fusion reaches on a question set with some weights.

    Attributes
    ----------
    questions, questions_title, retriever, retriever_title
        Names and titles; `position` is that of the fusion among those with tuned weights.
    of
        Titles of the retrievers that are fused, joined by ``; ``.
    n_runs
        How many these are.
    weights
        Theirs, joined by ``; ``; they add up to 1.
    last
        The weight of the last of them.
    measure, value, low, high
        Mean over questions, and its bootstrap interval over questions at `level`.
    is_training
        Whether weights were chosen on this question set.
    is_chosen
        Whether these weights were chosen on all training questions.
    n_folds
        Folds without which these weights were chosen.
    in_sample, nested, optimism
        Of the choice: on the training questions, by folds, and the difference; the same in all rows of a fusion.
    n_questions, data_version, language
        Of the question set.
    """

    FILE: ClassVar[str] = "fusion-weights"

    questions: str
    questions_title: str
    retriever: str
    retriever_title: str
    position: int
    of: str
    n_runs: int
    weights: str
    last: float
    measure: str
    value: float
    low: float
    high: float
    level: float
    is_training: bool
    is_chosen: bool
    n_folds: int
    in_sample: float
    nested: float
    optimism: float
    n_questions: int
    data_version: str
    language: str
