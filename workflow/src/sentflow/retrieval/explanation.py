"""Why a document has its rank: terms that are shared and what each adds, for the questions that are hardest."""

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from sentflow.encoders.vectors.sparse import TermName
from sentflow.encoders.vectors.terms import TermEmbeddings
from sentflow.errors import DataError
from sentflow.files.rows import read_rows, write_rows
from sentflow.retrieval.bm25 import Bm25
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.runs import read_run
from sentflow.retrieval.search import Search
from sentflow.retrieval.settings import SearchSettings
from sentflow.texts.corpora import Corpus, Questions

logger = logging.getLogger(__name__)

RELEVANT, WRONG = "relevant", "wrong"


@dataclass(frozen=True)
class Contribution:
    """What a shared term adds to a score."""

    term: str  # its name
    # in_question, in_document: its weights; for BM25 how often it occurs
    in_question: float
    in_document: float
    addend: float  # its part of the score


@dataclass(frozen=True)
class Explanation:
    """A score as a sum."""

    shared: tuple[Contribution, ...]  # the terms of both texts, the greatest addend first
    # rest: what is no addend of a shared term: variants of BM25 with `delta` give every document something for each
    # term of the question that it lacks
    rest: float = 0.0

    @property
    def score(self) -> float:
        """Sum of all addends and the rest, in float64."""
        return math.fsum([*(one.addend for one in self.shared), self.rest])

    def share(self, addend: float) -> float:
        """Part of the score; NaN where the score is 0. Shares add up to 1 with that of the rest."""
        return addend / self.score if self.score else math.nan

    def agrees_with(self, score: float, *, tolerance: float = 1e-4) -> bool:
        """Whether this is how a score came about, up to rounding.

        `tolerance`: of the sum of the absolute addends. Runs of BM25 add up in float32, where a sum of n numbers is
        off by n · 6e-8 of it at most: this allows for questions of 1,600 terms.
        """
        size = math.fsum([*(abs(one.addend) for one in self.shared), abs(self.rest)])
        return abs(self.score - score) <= tolerance * size


def of_weights(question: csr_array, document: csr_array, name: TermName, *, step: float = 1.0) -> Explanation:
    """A product of weights, term by term.

    `question`, `document`: (1, d), no number stored twice; see `sentflow.retrieval.sparse.search`. `step`: what
    weights of the document are multiplied by, see `sentflow.retrieval.sparse.Impacts`.
    """

    def products(asked: np.ndarray, held: np.ndarray) -> np.ndarray:
        found: np.ndarray = question.data[asked].astype(np.float64) * document.data[held] * step
        return found

    return _of_shared(question, document, products, name, step)


def of_vectors(question: TermEmbeddings, document: TermEmbeddings, name: TermName) -> Explanation:
    """The products of the vectors of shared terms, e^q_j · e^d_j of term j.

    `question`, `document`: of one text each; see `sentflow.retrieval.retrievers.sparse.reordered`. Half-precision
    values are multiplied in float64, as there. The weights in the result are no factors of addends.
    """

    def products(asked: np.ndarray, held: np.ndarray) -> np.ndarray:
        pair = question.vectors[asked].astype(np.float64), document.vectors[held].astype(np.float64)
        found: np.ndarray = np.einsum("ij,ij->i", *pair)
        return found

    return _of_shared(question.weights, document.weights, products, name)


def of_terms(index: Bm25, row: int, question: Sequence[str], document: Sequence[str]) -> Explanation:
    """BM25, term by term, as its own index counts it; a term that the question repeats counts each time."""
    asked, held = Counter(question), Counter(document)
    addends = {term: n * float(index.scores([term])[row]) for term, n in sorted(asked.items())}
    return _explained(
        (Contribution(term, asked[term], held[term], addends[term]) for term in addends if term in held),
        rest=math.fsum(addend for term, addend in addends.items() if term not in held),
    )


def _of_shared(
    question: csr_array,
    document: csr_array,
    products: Callable[[np.ndarray, np.ndarray], np.ndarray],
    name: TermName,
    step: float = 1.0,
) -> Explanation:
    """The terms that have a weight in both, with a product of their entries in the one and in the other."""
    columns, asked, held = np.intersect1d(
        question.indices, document.indices, assume_unique=True, return_indices=True
    )
    weights = question.data[asked].tolist(), (document.data[held].astype(np.float64) * step).tolist()
    rows = zip(columns.tolist(), *weights, products(asked, held).tolist(), strict=True)
    return _explained(Contribution(name(column), *numbers) for column, *numbers in rows)


def _explained(found: Iterable[Contribution], rest: float = 0.0) -> Explanation:
    """In order: of equal addends the term that comes first stays first."""
    return Explanation(tuple(sorted(found, key=lambda one: -one.addend)), rest)


TERMS = 10  # of a question and a document that are kept: their number is kept, too
_NOTHING = Contribution("", math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class SharedTerm:
    """A term of a question and of a document, and what it adds to the score that one retriever gives the two."""

    FILE: ClassVar[str] = "shared-terms"

    # question_set, retriever, question: names
    question_set: str
    retriever: str
    question: str
    # which, document: why the document is here, ``relevant`` or ``wrong``, and its name: the relevant document of the
    # highest grade, as in `HardQuestion`, or the best ranked of those that are not relevant
    which: str
    document: str
    # rank, score: of the document; the rank is 0 where the run does not hold it
    rank: int
    score: float
    n_shared: int  # terms that question and document share
    # rest, rest_share: part of the score that is no addend of a shared term, see
    # `sentflow.retrieval.explanation.Explanation`, and that divided by the score
    rest: float
    rest_share: float
    # place, term: among the shared terms, from 1, the greatest addend first. Where nothing is shared, a single row
    # says so, with place 0 and an empty term.
    place: int
    term: str
    # in_question, in_document: weights of the term; for BM25 how often it occurs
    in_question: float
    in_document: float
    # addend, share: its part of the score, and that divided by the score
    addend: float
    share: float


@dataclass(frozen=True)
class Pair:
    """A question and a document, by their names."""

    question: str
    document: str


@dataclass(frozen=True, kw_only=True)
class ExplainInputs:
    """What explanations read beside the questions; of a corpus in shards the files of all shards, in their order."""

    corpus: Path
    terms: Sequence[Path] = ()
    counts: Sequence[Path] = ()
    passages: Sequence[Path] = ()
    documents: Sequence[Path] = ()
    documents_info: Sequence[Path] = ()
    queries: Sequence[Path] = ()
    """With what describes them, as in `sentflow.retrieval.search.SearchInputs`."""
    manifest: Path | None = None


Explain: TypeAlias = Callable[[Sequence[Pair]], list[Explanation]]
"""What a kind of retriever says of pairs, one after the other."""


def explainer(questions: Questions, settings: SearchSettings, inputs: ExplainInputs) -> Explain:
    """What explains pairs by the retriever of these settings."""
    module = import_module(settings.by.explained_by)
    return lambda pairs: module.explain(pairs, questions, settings, inputs)


def explained_pairs(
    pairs: Sequence[Pair], explain: Explain, run: Run, *, where: Path
) -> dict[Pair, Explanation]:
    """What is said of pairs, compared with the scores of a run.

    `run`: what the retriever found; documents that it does not hold are explained, too. Raises DataError: terms add up
    to another score than that of the run: it was made from other files, or by other settings.
    """
    found = dict(zip(pairs, explain(pairs), strict=True))
    for pair, explanation in found.items():
        rank = rank_of(pair, run)
        score = float(run.ranked[pair.question].scores[rank - 1]) if rank else None
        if score is not None and not explanation.agrees_with(score):
            raise DataError(
                f"{where}: the score of {pair.document} for the question {pair.question} is {score:.6g}, but its terms "
                f"add up to {explanation.score:.6g}. The run was made from other files or by other settings. Run "
                "snakemake again."
            )
    return found


def rank_of(pair: Pair, run: Run) -> int:
    """Place of a document in a run, from 1; 0 where it is not there."""
    ranked = run.documents(pair.question) if pair.question in run.ranked else []
    return ranked.index(pair.document) + 1 if pair.document in ranked else 0


def write_shared_terms(job: Search, explain: Explain, *, run: Path, hardest: Path) -> None:
    """Explain the questions worth reading, and write their rows."""
    hard = read_rows(hardest, HardQuestion, may_be_empty=True)
    _, ranked = read_run(run, job.ids)
    asked = {row.question: row.document for row in hard}  # a question may be in both views
    chosen = {
        (name, which): Pair(name, document)
        for name, relevant in asked.items()
        for which, document in _documents(name, relevant, ranked, job.questions)
    }
    found = explained_pairs(list(dict.fromkeys(chosen.values())), explain, ranked, where=run)
    about = {"question_set": job.questions.name, "retriever": job.retriever}
    rows = [
        row
        for (_, which), pair in chosen.items()
        for row in _rows({**about, "which": which}, pair, found[pair], rank_of(pair, ranked))
    ]
    write_rows(job.output, SharedTerm, rows)
    logger.info(
        "%s by %s: %d questions, %d documents", *about.values(), len(asked), len(chosen)
    )  # fmt: skip


def _documents(question: str, relevant: str, run: Run, questions: Questions) -> Iterator[tuple[str, str]]:
    """The relevant document of a question, and the best ranked one that is not relevant, if there is one."""
    yield RELEVANT, relevant
    if wrong := best_ranked(question, run, questions, relevant=False):
        yield WRONG, wrong


def best_ranked(question: str, run: Run, questions: Questions, *, relevant: bool) -> str | None:
    """The best ranked document that is relevant, or that is not (which unjudged ones are not); None for none."""
    grades = questions.by_question()[question]
    ranked = run.documents(question) if question in run.ranked else []
    return next(
        (name for name in ranked if (grades.get(name, -math.inf) >= questions.relevant_grade) == relevant),
        None,
    )


def _rows(about: Mapping[str, str], pair: Pair, found: Explanation, rank: int) -> Iterator[SharedTerm]:
    for place, one in enumerate(found.shared[:TERMS] or [_NOTHING], start=bool(found.shared)):
        yield SharedTerm(
            **about,
            question=pair.question,
            document=pair.document,
            rank=rank,
            score=found.score,
            n_shared=len(found.shared),
            rest=found.rest,
            rest_share=found.share(found.rest),
            place=place,
            term=one.term,
            in_question=float(one.in_question),
            in_document=float(one.in_document),
            addend=one.addend,
            share=found.share(one.addend),
        )


LETTERS = 300  # of a text that are kept: enough to recognise a document


HARDEST, APART = "hardest", "apart"
_DIGITS = 12  # to which values are rounded before they are sorted: sums in another order must not break ties


@dataclass(frozen=True)
class HardQuestion:
    """A question that most retrievers fail on, or on which two of them differ most."""

    FILE: ClassVar[str] = "hard-questions"

    # question_set, view, place: the set; why the question is here, ``hardest`` or ``apart``; its place in that list,
    # from 1
    question_set: str
    view: str
    place: int
    measure: str  # what questions were scored by
    # question, group, text: identifier, group (empty for none) and text
    question: str
    group: str
    text: str
    # mean, n_retrievers: mean over the retrievers that are no controls, and their number
    mean: float
    n_retrievers: int
    # n_relevant, n_documents: relevant documents of the question, and documents of the corpus
    n_relevant: int
    n_documents: int
    # document, document_text, grade: the relevant document of the highest grade, in the order of judgements; the start
    # of its text
    document: str
    document_text: str
    grade: int
    # a, value_a, rank_a: the first of the two retrievers, its value on the question, and the rank of `document` in its
    # run; 0 where it is not there
    a: str
    value_a: float
    rank_a: int
    # first_a, first_text_a, first_grade_a: the document that it ranks first, the start of its text, and its grade, NaN
    # where nobody judged it. Empty where it found nothing.
    first_a: str
    first_text_a: str
    first_grade_a: float
    # b, value_b, rank_b, first_b, first_text_b, first_grade_b: the same of the second; empty where one retriever was
    # measured
    b: str
    value_b: float
    rank_b: int
    first_b: str
    first_text_b: str
    first_grade_b: float


@dataclass(frozen=True)
class Searched:
    """What was asked, and what all retrievers found."""

    # corpus, questions: documents, and questions with their judgements
    corpus: Corpus
    questions: Questions
    measure: str  # what questions were scored by
    retrievers: Sequence[str]  # m names
    asked: Sequence[str]  # n questions with a relevant document
    values: np.ndarray  # (m, n) float64
    runs: Mapping[str, Run]  # retriever → its run, of the two that are shown at least


def best_two(retrievers: Sequence[str], values: np.ndarray) -> list[str]:
    """The two with the highest means, the higher one first; one where there is no other."""
    order = np.argsort(-np.round(values.mean(axis=1), _DIGITS), kind="stable")
    return [retrievers[row] for row in order[:2].tolist()]


def hardest(scores: np.ndarray, *, limit: int) -> np.ndarray:
    """int64 numbers of the questions with the lowest mean in (m, n) scores, the lowest first, in order where equal."""
    return _lowest(scores.mean(axis=0), limit)


def most_different(scores: np.ndarray, a: int, b: int, *, limit: int) -> np.ndarray:
    """int64 numbers of the questions on which rows a and b of (m, n) scores differ most; none with equal scores."""
    differences = np.abs(scores[a] - scores[b])
    order = _lowest(-differences, limit)
    chosen: np.ndarray = order[np.round(differences[order], _DIGITS) > 0]
    return chosen


def _lowest(values: np.ndarray, limit: int) -> np.ndarray:
    order: np.ndarray = np.argsort(np.round(values, _DIGITS), kind="stable")
    return order[:limit]


def hard_questions(
    searched: Searched, *, serious: Sequence[str], pair: Sequence[str], limit: int
) -> list[HardQuestion]:
    """The hardest questions, then those on which two retrievers differ most.

    `pair`: the two that are shown and compared, or one where there is no other. `limit`: at most so many questions of
    each kind.
    """
    row_of = {name: row for row, name in enumerate(searched.retrievers)}
    counted = searched.values[[row_of[name] for name in serious]]
    means = counted.mean(axis=0)
    found = {HARDEST: hardest(counted, limit=limit)}
    if len(pair) == 2:
        found[APART] = most_different(searched.values, *(row_of[name] for name in pair), limit=limit)
    documents = _Documents(searched)
    about: dict[str, Any] = {
        "question_set": searched.questions.name,
        "measure": searched.measure,
        "n_retrievers": len(serious),
    }
    return [
        HardQuestion(
            **about,
            view=view,
            place=place,
            mean=float(means[column]),
            **documents.of_question(searched.asked[column]),
            **documents.found_by("a", pair[0], column, row_of),
            **documents.found_by("b", pair[1] if len(pair) == 2 else "", column, row_of),
        )
        for view, columns in found.items()
        for place, column in enumerate(columns.tolist(), 1)
    ]


class _Documents:
    """What a row says of documents."""

    def __init__(self, searched: Searched) -> None:
        self._searched = searched
        self._judged = searched.questions.by_question()
        questions = searched.questions
        self._row = {name: row for row, name in enumerate(questions.ids)}
        self._text = dict(zip(searched.corpus.ids, searched.corpus.whole_texts(), strict=True))

    def of_question(self, name: str) -> dict[str, Any]:
        """The question and its best document."""
        questions, row = self._searched.questions, self._row[name]
        document = self._best(name)
        grades = self._judged[name]
        return {
            "question": name,
            "group": questions.groups[row],
            "text": questions.texts[row],
            "n_relevant": sum(grade >= questions.relevant_grade for grade in grades.values()),
            "n_documents": len(self._searched.corpus),
            "document": document,
            "document_text": self._start(document),
            "grade": grades[document],
        }

    def found_by(self, side: str, retriever: str, column: int, row_of: Mapping[str, int]) -> dict[str, Any]:
        """What one retriever made of a question."""
        name = self._searched.asked[column]
        run = self._searched.runs.get(retriever)
        ranked = run.documents(name) if run and name in run.ranked else []
        first = ranked[0] if ranked else ""
        best = self._best(name)
        return {
            side: retriever,
            f"value_{side}": float(self._searched.values[row_of[retriever], column])
            if retriever
            else math.nan,
            f"rank_{side}": ranked.index(best) + 1 if best in ranked else 0,
            f"first_{side}": first,
            f"first_text_{side}": self._start(first) if first else "",
            f"first_grade_{side}": float(self._judged[name].get(first, math.nan)),
        }

    def _best(self, name: str) -> str:
        """The first of the documents with the highest grade."""
        grades = self._judged[name]
        return max(grades, key=lambda document: grades[document])

    def _start(self, document: str) -> str:
        text = " ".join(self._text[document].split())
        return text if len(text) <= LETTERS else text[:LETTERS].rstrip() + " …"
