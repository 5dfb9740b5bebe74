"""The shared terms of the questions worth reading: of which documents, and what is kept of them."""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import ClassVar, TypeAlias

from sentflow.errors import DataError
from sentflow.files.rows import read_rows, write_rows
from sentflow.retrieval.contributions import Contribution, Explanation
from sentflow.retrieval.hardest import HardQuestion
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.runs import read_run
from sentflow.retrieval.search import Search
from sentflow.retrieval.settings import SearchSettings
from sentflow.texts.corpora import Questions

logger = logging.getLogger(__name__)

RELEVANT, WRONG = "relevant", "wrong"
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
    # highest grade, as in `sentflow.retrieval.hardest.HardQuestion`, or the best ranked of those that are not relevant
    which: str
    document: str
    # rank, score: of the document; the rank is 0 where the run does not hold it
    rank: int
    score: float
    n_shared: int  # terms that question and document share
    # rest, rest_share: part of the score that is no addend of a shared term, see
    # `sentflow.retrieval.contributions.Explanation`, and that divided by the score
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
