"""Questions with relevant documents, and documents that a retriever took for such, into rows of training data."""

import math
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.audit.ngrams import plain
from sentflow.files.parquet import write_described
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.texts.corpora import Corpus, Questions
from sentflow.training.data.forms import ALL, FORMS, PAIRS, RANDOM, SCORED, TRIPLETS
from sentflow.training.data.prepare import Rows
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


POSITIVE, NEGATIVE = "1", "0"
_NOTHING = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))


@dataclass(frozen=True)
class LookedAt:
    """A document that might have become a negative."""

    # question_set, question: names
    question_set: str
    question: str
    # relevant: identifier of the relevant document beside which it would stand; for labelled rows of the one that a
    # margin is counted from, empty where the retriever found none
    relevant: str
    # relevant_rank, relevant_score: of that document; None where it was not found
    relevant_rank: int | None
    relevant_score: float | None
    candidate: Candidate  # the document


@dataclass
class Mined:
    """Rows, and how they came about."""

    rows: list[tuple[str, ...]] = field(default_factory=list)  # name, then a cell per column of the form
    looked_at: list[LookedAt] = field(default_factory=list)
    # counts: ``questions`` with a relevant document, ``without_relevant``; ``relevant`` documents; ``empty_relevant``
    # and ``held_out_relevant`` ones, which are left out; ``relevant_in_ranks``, which the retriever has within its
    # ranks; ``searches`` for negatives, ``without_negative``, those that found none; ``without_score``, relevant
    # documents that the retriever did not find, where scores are asked for
    counts: Counter[str] = field(default_factory=Counter)

    def as_rows(self, form: str) -> Rows:
        """The rows with the columns of the form."""
        columns = FORMS[form]
        names, *cells = zip(*self.rows, strict=True) if self.rows else [()] * (1 + len(columns))
        return Rows(list(names), dict(zip(columns, map(list, cells), strict=True)))

    def facts(self, *, estimable: bool = True) -> dict[str, Any]:
        """The counts; what became of the documents; and how many negatives may be relevant.

        The last is ``false_negatives_per_unjudged``: if one more relevant document of every question had never been
        judged, and the retriever had it within its ranks as often as the judged ones, such documents would be this
        share of the negatives. None without negatives, and where it is not `estimable`: where a margin would stop such
        documents, too, or a retriever said what is relevant.
        """
        outcomes = Counter(one.candidate.outcome for one in self.looked_at)
        ranks = [one.candidate.rank for one in self.looked_at if one.candidate.outcome == TAKEN]
        passing, relevant = outcomes[TAKEN] + outcomes[NOT_CHOSEN], self.counts["relevant"]
        within = self.counts["relevant_in_ranks"] / relevant if relevant else 0.0
        return {
            **self.counts,
            "looked_at": dict(sorted(outcomes.items())),
            "mean_rank": float(np.mean(ranks)) if ranks else None,
            "false_negatives_per_unjudged": within * self.counts["searches"] / passing
            if passing and estimable
            else None,
        }


def mine(
    questions: Questions,
    corpus: Corpus,
    run: Run | None,
    settings: MinedNegatives,
    form: str,
    into: Mined,
    held_out: Collection[str] = (),
) -> None:
    """Add the rows of a question set.

    `run`: what the retriever found for them; None for rows without negatives. `form`: ``"pairs"``: a row for each
    relevant document; ``"triplets"``: a row for each of its negatives; ``"labelled"``: a row with label 1 for each
    relevant document of a question, then one with label 0 for each negative; ``"scored"``: triplets with the
    retriever's scores, without relevant documents that it did not find.
    """
    text_of = dict(zip(corpus.ids, corpus.whole_texts(), strict=True))
    copies, grades = copies_of(corpus), questions.by_question()
    held_out = {copy for one in held_out for copy in copies.get(one, {one})}
    empty = {one for one, its_text in text_of.items() if not its_text}
    for question, text in zip(questions.ids, questions.texts, strict=True):
        judged = grades[question]
        known = [one for one, grade in judged.items() if grade >= questions.relevant_grade]
        with_text = [one for one in known if text_of[one]]
        relevant = [one for one in with_text if one not in held_out]
        into.counts["empty_relevant"] += len(known) - len(with_text)
        into.counts["held_out_relevant"] += len(with_text) - len(relevant)
        into.counts["relevant"] += len(relevant)
        into.counts["questions" if relevant else "without_relevant"] += 1
        if not relevant:
            continue
        ranked = run.ranked.get(question, _NOTHING) if run else _NOTHING
        found = Found(ranked, corpus.ids, judged, known, copies, held_out, empty)
        search = _Search(questions, question, found, settings, into)
        into.counts["relevant_in_ranks"] += sum(map(search.has_within_ranks, relevant))
        name = f"{questions.name} {question}"
        if form == PAIRS:
            into.rows += [(name, text, text_of[one]) for one in relevant]
        elif form in (TRIPLETS, SCORED):
            if form == SCORED:
                unscored = [one for one in relevant if not search.is_scored(one)]
                into.counts["without_score"] += len(unscored)
                relevant = [one for one in relevant if one not in unscored]
            into.rows += [
                (
                    name,
                    text,
                    text_of[one],
                    text_of[other],
                    *(search.scores(one, other) if form == SCORED else ()),
                )
                for one in relevant
                for other in search.negatives(one)
            ]
        else:
            negatives = search.negatives(search.worst(relevant))
            labels = [*((one, POSITIVE) for one in relevant), *((one, NEGATIVE) for one in negatives)]
            into.rows += [(name, text, text_of[one], label) for one, label in labels]


def pseudo_labelled(questions: Questions, run: Run, margin: float) -> Questions:
    """Questions whose first document counts as relevant, where a retriever ranks it well before the second.

    `questions`: their judgements, if there are any, are not kept. `margin`: least difference of the two scores, in
    their units. A question with a single document is not labelled.
    """
    sure = [
        (place, ranked)
        for place, name in enumerate(questions.ids)
        if len(ranked := run.ranked.get(name, _NOTHING)) > 1 and ranked.scores[0] - ranked.scores[1] >= margin
    ]
    return replace(
        questions,
        judged=np.array([place for place, _ in sure], dtype=np.int64),
        documents=[run.document_ids[int(ranked.rows[0])] for _, ranked in sure],
        grades=np.full(len(sure), questions.relevant_grade, dtype=np.int64),
    )


def write_looked_at(path: Path, data: str, looked_at: Sequence[LookedAt]) -> None:
    """Write every document that might have become a negative, and what became of it, as Parquet.

    Columns as the attributes of `LookedAt` and `Candidate`; a relevant document that was not found has rank 0 and NaN
    as score.
    """
    candidates = [one.candidate for one in looked_at]
    columns: dict[str, Any] = {
        "question_set": [one.question_set for one in looked_at],
        "question": [one.question for one in looked_at],
        "relevant": [one.relevant for one in looked_at],
        "relevant_rank": np.array([one.relevant_rank or 0 for one in looked_at], dtype=np.int64),
        "relevant_score": np.array([one.relevant_score for one in looked_at], dtype=np.float64),
        "document": [one.document for one in candidates],
        "rank": np.array([one.rank for one in candidates], dtype=np.int64),
        "score": np.array([one.score for one in candidates], dtype=np.float64),
        "outcome": [one.outcome for one in candidates],
    }
    write_described(path, columns, {"training": data})


@dataclass(frozen=True)
class _Search:
    """The search for the negatives of one question."""

    questions: Questions
    question: str
    found: Found
    settings: MinedNegatives
    into: Mined

    def has_within_ranks(self, document: str) -> bool:
        first, last = self.settings.ranks
        return first <= (self.found.rank(document) or 0) <= last

    def is_scored(self, document: str) -> bool:
        """Whether a document has a score of the retriever's own."""
        rank, last = self.found.rank(document), self.settings.scored_ranks
        return rank is not None and (last is None or rank <= last)

    def scores(self, *documents: str) -> list[str]:
        """The retriever's scores of documents that it found, as cells; all digits are kept."""
        return [repr(self.found.score(one)) for one in documents]

    def worst(self, relevant: Sequence[str]) -> str:
        """The relevant document with the least score, so that negatives lie below all; empty if none was found."""
        ranked = [one for one in relevant if self.found.rank(one)]
        return max(ranked, key=lambda one: self.found.rank(one) or 0) if ranked else ""

    def negatives(self, beside: str) -> list[str]:
        """The negatives beside a relevant document, in the order of their ranks; all that was looked at is noted."""
        draws = Draws(self.settings.seed, ("negatives", self.questions.name, self.question, beside))
        rank, score = self.found.rank(beside), self.found.score(beside)
        candidates = self.found.candidates(self.settings, draws, score)
        self.into.looked_at += [
            LookedAt(self.questions.name, self.question, beside, rank, score, one) for one in candidates
        ]
        taken = [one.document for one in candidates if one.outcome == TAKEN]
        self.into.counts["searches"] += 1
        self.into.counts["without_negative"] += not taken
        return taken
