"""Documents that a retriever ranks high for a question and that are not relevant: which of them become negatives."""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from sentflow.audit.ngrams import plain
from sentflow.retrieval.ranking import Ranked
from sentflow.texts.corpora import Corpus
from sentflow.training.data.forms import ALL, RANDOM
from sentflow.training.data.settings import MinedNegatives
from sentflow.training.draws import Draws

TAKEN = "taken"
RELEVANT = "relevant"
PARTLY = "partly relevant"
COPY = "copy of a relevant document"
MARGIN = "score within the margin"
NOT_CHOSEN = "not chosen"
HELD_OUT = "held out"
EMPTY = "without text"


@dataclass(frozen=True)
class Candidate:
    """A document that was looked at."""

    document: str  # its identifier
    # rank, score: in the run; ranks are from 1
    rank: int
    score: float
    outcome: str  # what became of it, e.g. `TAKEN`


class Found:
    """What a retriever found for one question.

    `held_out`, `empty`: documents that are in no row: of tests, and without text.
    """

    def __init__(
        self,
        ranked: Ranked,
        ids: Sequence[str],
        grades: Mapping[str, int],
        relevant: Sequence[str],
        copies: Mapping[str, set[str]],
        held_out: Container[str] = (),
        empty: Container[str] = (),
    ) -> None:
        documents = [ids[row] for row in ranked.rows.tolist()]
        self._found = list(zip(documents, ranked.scores.tolist(), strict=True))
        self._place = {document: place for place, document in enumerate(documents)}
        self._grades, self._relevant = grades, set(relevant)
        self._held_out, self._empty = held_out, empty
        self._copies = {copy for document in relevant for copy in copies.get(document, ())}

    def rank(self, document: str) -> int | None:
        """Of a document, from 1; None where it was not found."""
        place = self._place.get(document)
        return None if place is None else place + 1

    def score(self, document: str) -> float | None:
        """Of a document; None where it was not found."""
        place = self._place.get(document)
        return None if place is None else self._found[place][1]

    def candidates(self, settings: MinedNegatives, draws: Draws, best: float | None) -> list[Candidate]:
        """Everything within the ranks, in their order, and what becomes of it.

        `best`: score of the relevant document that a margin is counted from; None passes nothing where there is a
        margin.
        """
        first, last = settings.ranks
        last = min(last, settings.scored_ranks or last)
        most = _most(settings.margin, best)
        seen = list(enumerate(self._found[first - 1 : last], start=first))
        outcomes = [self._outcome(document, score, most) for _, (document, score) in seen]
        passing = [place for place, outcome in enumerate(outcomes) if outcome == TAKEN]
        for place in set(passing).difference(_chosen(passing, settings, draws)):
            outcomes[place] = NOT_CHOSEN
        return [
            Candidate(document, rank, score, outcome)
            for (rank, (document, score)), outcome in zip(seen, outcomes, strict=True)
        ]

    def _outcome(self, document: str, score: float, most: float) -> str:
        if document in self._relevant:
            return RELEVANT
        if document in self._copies:
            return COPY
        if self._grades.get(document, 0) > 0:
            return PARTLY
        if document in self._held_out:
            return HELD_OUT
        if document in self._empty:
            return EMPTY
        return TAKEN if score <= most else MARGIN


def copies_of(corpus: Corpus) -> dict[str, set[str]]:
    """Document → all documents with its words in their order, itself included, where there are others."""
    same: dict[str, set[str]] = {}
    for name, text in zip(corpus.ids, corpus.whole_texts(), strict=True):
        if text:
            same.setdefault(plain(text), set()).add(name)
    return {name: names for names in same.values() if len(names) > 1 for name in names}


def _most(margin: float | None, best: float | None) -> float:
    """The greatest score that a negative may have."""
    if margin is None:
        return math.inf
    return -math.inf if best is None else best - margin * abs(best)


def _chosen(passing: Sequence[int], settings: MinedNegatives, draws: Draws) -> list[int]:
    number = len(passing) if settings.number == ALL else min(int(settings.number), len(passing))
    if settings.choice != RANDOM:
        return list(passing[:number])
    drawn: list[int] = (
        draws.generator().choice(passing, size=number, replace=False).tolist() if number else []
    )
    return drawn
