"""Questions with relevant documents, and documents that a retriever took for such, into rows of training data."""

import math
from collections import ChainMap, Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.files.parquet import write_described
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.plain import plain
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

POSITIVE, NEGATIVE = "1", "0"
_NOTHING = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))


@dataclass(frozen=True)
class Candidate:
    """A document that might have become a negative."""

    question_set: str
    question: str
    # relevant: document beside which it would stand, or that a margin is counted from; empty: not found
    relevant: str
    # relevant_rank, relevant_score: of that document; 0 and NaN where it was not found
    relevant_rank: int
    relevant_score: float
    document: str  # its identifier
    # rank, score: in the run; ranks are from 1
    rank: int
    score: float
    outcome: str  # what became of it, e.g. `TAKEN`


@dataclass
class Mined:
    """Rows, and how they came about."""

    rows: list[tuple[str, ...]] = field(default_factory=list)  # name, then a cell per column of the form
    looked_at: list[Candidate] = field(default_factory=list)
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
        judged, and the retriever had it within its ranks as often as the judged ones, this share of the negatives would
        be such documents. None without negatives, and where it is not `estimable`: with a margin or pseudo labels.
        """
        outcomes = Counter(one.outcome for one in self.looked_at)
        ranks = [one.rank for one in self.looked_at if one.outcome == TAKEN]
        passing, relevant = outcomes[TAKEN] + outcomes[NOT_CHOSEN], self.counts["relevant"]
        within = self.counts["relevant_in_ranks"] / relevant if relevant else 0.0
        share = within * self.counts["searches"] / passing if passing and estimable else None
        return {
            **self.counts,
            "looked_at": dict(sorted(outcomes.items())),
            "mean_rank": float(np.mean(ranks)) if ranks else None,
            "false_negatives_per_unjudged": share,
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

    `run`: what the retriever found; None for rows without negatives. `form`: ``"pairs"``: a row for each relevant
    document; ``"triplets"``: one for each of its negatives; ``"labelled"``: one with label 1 for each relevant document
    of a question, then one with label 0 for each negative; ``"scored"``: triplets with the retriever's scores, without
    relevant documents that it did not find.
    """
    text_of = dict(zip(corpus.ids, corpus.whole_texts(), strict=True))
    copies, grades = _copies_of(text_of), questions.by_question()
    held_out = {copy for one in held_out for copy in copies.get(one, {one})}
    never = {one: EMPTY for one, its_text in text_of.items() if not its_text}
    never |= dict.fromkeys(held_out, HELD_OUT)
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
        own = {one: PARTLY for one, grade in judged.items() if grade > 0}
        own |= dict.fromkeys((copy for one in known for copy in copies.get(one, ())), COPY)
        own |= dict.fromkeys(known, RELEVANT)
        ranked = run.ranked.get(question, _NOTHING) if run else _NOTHING
        documents = [corpus.ids[row] for row in ranked.rows.tolist()]
        names = (questions.name, question)
        search = _Search(names, documents, ranked.scores.tolist(), ChainMap(own, never), settings, into)
        into.counts["relevant_in_ranks"] += sum(map(search.has_within_ranks, relevant))
        name = " ".join(names)
        if form == PAIRS:
            into.rows += [(name, text, text_of[one]) for one in relevant]
        elif form == TRIPLETS:
            into.rows += [
                (name, text, text_of[one], text_of[other])
                for one in relevant
                for other in search.negatives(one)
            ]
        elif form == SCORED:
            scored = [one for one in relevant if search.is_scored(one)]
            into.counts["without_score"] += len(relevant) - len(scored)
            into.rows += [
                (name, text, text_of[one], text_of[other], *map(search.score_of, (one, other)))
                for one in scored
                for other in search.negatives(one)
            ]
        else:
            into.rows += [(name, text, text_of[one], POSITIVE) for one in relevant]
            negatives = search.negatives(search.worst(relevant))
            into.rows += [(name, text, text_of[one], NEGATIVE) for one in negatives]


def pseudo_labelled(questions: Questions, run: Run, margin: float) -> Questions:
    """Questions whose first document counts as relevant, where a retriever ranks it well before a second.

    `margin`: least difference of the two scores, in their units. Judgements, if there are any, are not kept.
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


def write_looked_at(path: Path, data: str, looked_at: Sequence[Candidate]) -> None:
    """Write every document that might have become a negative, and what became of it, as Parquet."""
    numbers: dict[Any, Any] = {int: np.int64, float: np.float64}
    columns: dict[str, Any] = {}
    for column in fields(Candidate):
        values = [getattr(one, column.name) for one in looked_at]
        dtype = numbers.get(column.type)
        columns[column.name] = values if dtype is None else np.array(values, dtype=dtype)
    write_described(path, columns, {"training": data})


def _copies_of(text_of: Mapping[str, str]) -> dict[str, set[str]]:
    """Document → all documents with its words in their order, itself included, where there are others."""
    same: dict[str, set[str]] = {}
    for name, text in text_of.items():
        if text:
            same.setdefault(plain(text), set()).add(name)
    return {name: names for names in same.values() if len(names) > 1 for name in names}


@dataclass(frozen=True)
class _Search:
    """The search for the negatives of one question."""

    names: tuple[str, str]  # of the question set and the question
    # documents, scores: what the retriever found, from the best on
    documents: Sequence[str]
    scores: Sequence[float]
    never: Mapping[str, str]  # document → why it is no negative
    settings: MinedNegatives
    into: Mined

    def rank(self, document: str) -> int:
        """From 1; 0 where a document was not found."""
        return self.documents.index(document) + 1 if document in self.documents else 0

    def has_within_ranks(self, document: str) -> bool:
        first, last = self.settings.ranks
        return first <= self.rank(document) <= last

    def is_scored(self, document: str) -> bool:
        """Whether a document has a score of the retriever's own."""
        return 1 <= self.rank(document) <= (self.settings.scored_ranks or math.inf)

    def score_of(self, document: str) -> str:
        """The retriever's score of a document that it found, as a cell; all digits are kept."""
        return repr(self.scores[self.rank(document) - 1])

    def worst(self, relevant: Sequence[str]) -> str:
        """The relevant document with the least score, so that negatives lie below all; empty if none was found."""
        return max(filter(self.rank, relevant), key=self.rank, default="")

    def negatives(self, beside: str) -> list[str]:
        """The negatives beside a relevant document, in the order of their ranks; all that was looked at is noted."""
        settings, relevant_rank = self.settings, self.rank(beside)
        best = self.scores[relevant_rank - 1] if relevant_rank else math.nan
        most = math.inf if settings.margin is None else best - settings.margin * abs(best)
        first, last = settings.ranks
        seen = slice(first - 1, min(last, settings.scored_ranks or last))
        documents, scores = self.documents[seen], self.scores[seen]
        # Where the relevant document was not found, a margin passes nothing
        outcomes = [
            self.never.get(document) or (TAKEN if score <= most else MARGIN)
            for document, score in zip(documents, scores, strict=True)
        ]
        passing = [place for place, outcome in enumerate(outcomes) if outcome == TAKEN]
        for place in set(passing).difference(self._chosen(passing, beside)):
            outcomes[place] = NOT_CHOSEN
        self.into.looked_at += [
            Candidate(*self.names, beside, relevant_rank, best, document, rank, score, outcome)
            for rank, (document, score, outcome) in enumerate(
                zip(documents, scores, outcomes, strict=True), start=first
            )
        ]
        taken = [one for one, outcome in zip(documents, outcomes, strict=True) if outcome == TAKEN]
        self.into.counts["searches"] += 1
        self.into.counts["without_negative"] += not taken
        return taken

    def _chosen(self, passing: Sequence[int], beside: str) -> Sequence[int]:
        number = len(passing) if self.settings.number == ALL else min(int(self.settings.number), len(passing))
        if self.settings.choice != RANDOM or not number:
            return passing[:number]
        draws = Draws(self.settings.seed, ("negatives", *self.names, beside))
        chosen: list[int] = draws.generator().choice(passing, size=number, replace=False).tolist()
        return chosen
