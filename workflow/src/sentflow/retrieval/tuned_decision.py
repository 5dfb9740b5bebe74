"""Parameters of a decision that are chosen on training questions, and what is decided by them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.retrieval.decisions import Decision, decided
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.set_measures import F2, relevant_of, set_values
from sentflow.retrieval.tuning import Choice, choose, folds_of
from sentflow.texts.corpora import Questions


@dataclass(frozen=True)
class TunedDecision:
    """A decision out of c candidates, chosen by the mean F2 of training questions.

    Attributes
    ----------
    candidates
        c decisions.
    choice
        See `Choice`.
    without
        (Question set, question) → the decision that was chosen on the questions of other folds.
    tuned_on
        Names of the training sets.
    """

    candidates: Sequence[Decision]
    choice: Choice
    without: Mapping[tuple[str, str], Decision]
    tuned_on: Sequence[str]

    @property
    def best(self) -> Decision:
        """For questions that nothing was chosen on."""
        return self.candidates[self.choice.best]

    def decided(self, run: Run, question_set: str) -> dict[str, Ranked]:
        """What is kept for each question; for one of a training set, by what was chosen without its fold."""
        return {
            name: self.without.get((question_set, name), self.best).kept(found)
            for name, found in run.ranked.items()
        }

    def told(self, margin: float) -> dict[str, Any]:
        """What a file says of the choice; candidates whose F2 is within `margin` of the best count as equally good."""
        choice = self.choice
        return {
            "tuned_on": list(self.tuned_on),
            "measure": F2,
            "n_questions": len(choice.fold_of),
            "in_sample": choice.in_sample,
            "nested": choice.nested,
            "optimism": choice.optimism,
            "parameters_of_folds": [self.candidates[one].parameters() for one in choice.best_without],
            "margin": margin,
            "within_margin": [self.candidates[one].parameters() for one in choice.near(margin)],
            "grid": [
                {"parameters": one.parameters(), F2: float(mean)}
                for one, mean in zip(self.candidates, choice.means, strict=True)
            ],
        }


def tune_decision(
    candidates: Sequence[Decision], training: Sequence[tuple[Questions, Run]], *, n_folds: int, seed: int
) -> TunedDecision:
    """Choose the decision with the greatest mean F2; of equal ones the first.

    Parameters
    ----------
    candidates
        At least one.
    training
        Question sets with their judgements, and what was found for each.
    n_folds, seed
        See `folds_of`.

    Raises
    ------
    DataError
        Fewer than two training questions have a relevant document.
    """
    keys: list[tuple[str, str]] = []
    relevant: list[list[str]] = []
    values: list[list[np.ndarray]] = [[] for _ in candidates]
    for questions, run in training:
        least = questions.relevant_grade
        own = {name: found for name, found in relevant_of(questions.by_question(), least).items() if found}
        grades = {name: found for name, found in questions.by_question().items() if name in own}
        keys += [(questions.name, name) for name in own]
        relevant += own.values()
        for found, candidate in zip(values, candidates, strict=True):
            kept = documents_of(run, decided(run, candidate, [*grades]))
            found.append(set_values(kept, grades, relevant_grade=least)[F2])
    fold_of = folds_of(relevant, n_folds, seed)
    choice = choose(np.array([np.concatenate(own) for own in values]), fold_of)
    without = {
        key: candidates[choice.best_without[fold]] for key, fold in zip(keys, fold_of.tolist(), strict=True)
    }
    return TunedDecision(candidates, choice, without, [questions.name for questions, _ in training])


def documents_of(run: Run, kept: Mapping[str, Ranked]) -> dict[str, list[str]]:
    """Question → the identifiers of what is kept for it."""
    return {name: [run.document_ids[row] for row in found.rows.tolist()] for name, found in kept.items()}
