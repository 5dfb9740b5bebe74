"""Why a document has its score: the terms that it shares with a question, and what each of them adds."""

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sentflow.encoders.vectors.sparse import TermEmbeddings, TermName
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows, write_rows
from sentflow.retrieval.hardest import HardQuestion
from sentflow.retrieval.ranking import Run, read_run
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.search import Search
from sentflow.retrieval.settings import CountsTerms, SearchSettings, Sparse
from sentflow.retrieval.term_index import TermCounts, TermIndex
from sentflow.texts.corpora import Questions, read_corpus, read_ids, read_shard
from sentflow.texts.shards import rows_of_shard, shards_of

logger = logging.getLogger(__name__)

RELEVANT, WRONG = "relevant", "wrong"
TERMS = 10  # of a question and a document that are kept: their number is kept, too
# Of the sum of absolute addends: float32 sums of n numbers are off by n · 6e-8 of it; enough for 1,600 terms
_TOLERANCE = 1e-4
_FILES = 3  # of vectors beside what describes them: texts, weights, numbers of tokens


class Contribution(NamedTuple):
    """What a shared term adds to a score."""

    term: str
    in_question: float  # weight; for BM25 how often it occurs
    in_document: float
    addend: float


_NOTHING = Contribution("", math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Explanation:
    """A score as a sum."""

    shared: tuple[Contribution, ...]  # the terms of both texts, the greatest addend first
    # rest: of no shared term: BM25 with `delta` gives every document something for each term that it lacks
    rest: float = 0.0

    @property
    def score(self) -> float:
        """Sum of all addends and the rest, in float64."""
        return math.fsum([*(one.addend for one in self.shared), self.rest])

    def share(self, addend: float) -> float:
        """Part of the score; NaN where the score is 0. Shares add up to 1 with that of the rest."""
        return addend / self.score if self.score else math.nan

    def agrees_with(self, score: float) -> bool:
        """Whether this is how a score came about, up to rounding."""
        size = math.fsum([*(abs(one.addend) for one in self.shared), abs(self.rest)])
        return abs(self.score - score) <= _TOLERANCE * size


def of_weights(question: Any, document: Any, name: TermName, *, step: float = 1.0) -> Explanation:
    """A product of weights, or of the vectors of shared terms, e^q_j · e^d_j of term j, term by term.

    `question`, `document`: of one text each, both `csr_array` (1, d), or both `TermEmbeddings`, whose values are
    multiplied in float64. `step`: multiplies weights of the document, see
    `sentflow.retrieval.retrievers.sparse.rounded`.
    """
    has_vectors = isinstance(question, TermEmbeddings)
    first, second = (one.weights if has_vectors else one for one in (question, document))
    columns, asked, held = np.intersect1d(
        first.indices, second.indices, assume_unique=True, return_indices=True
    )
    if has_vectors:
        pair = question.vectors[asked].astype(np.float64), document.vectors[held].astype(np.float64)
        addends = np.einsum("ij,ij->i", *pair)
    else:
        addends = first.data[asked].astype(np.float64) * second.data[held] * step
    weights = first.data[asked].tolist(), (second.data[held].astype(np.float64) * step).tolist()
    rows = zip(columns.tolist(), *weights, addends.tolist(), strict=True)
    return _explained(Contribution(name(column), *numbers) for column, *numbers in rows)


def of_terms(index: Bm25, row: int, question: Sequence[str]) -> Explanation:
    """BM25, term by term, as its own index counts it; a term that the question repeats counts each time."""
    asked = Counter(question)
    held = {term: index.index.frequency(term, row) for term in sorted(asked)}
    addends = {term: asked[term] * float(index.scores([term])[row]) for term in held}
    return _explained(
        (Contribution(term, float(asked[term]), float(n), addends[term]) for term, n in held.items() if n),
        rest=math.fsum(addends[term] for term, n in held.items() if not n),
    )


def _explained(shared: Iterable[Contribution], rest: float = 0.0) -> Explanation:
    """In order: of equal addends the term that comes first stays first."""
    return Explanation(tuple(sorted(shared, key=lambda one: -one.addend)), rest)


@dataclass(frozen=True)
class SharedTerm:
    """A term of a question and of a document, and what it adds to the score that one retriever gives the two."""

    FILE: ClassVar[str] = "shared-terms"

    question_set: str
    retriever: str
    question: str
    # which, document: ``relevant`` (the highest grade, as in `HardQuestion`) or ``wrong`` (best ranked); its name
    which: str
    document: str
    rank: int  # of the document; 0 where the run does not hold it
    score: float
    n_shared: int  # terms that question and document share
    rest: float  # part of the score that is no addend of a shared term, see `Explanation`
    rest_share: float
    # place, term: among the shared terms, from 1; where there are none, one row says so: place 0, no term
    place: int
    term: str
    in_question: float  # weight of the term; for BM25 how often it occurs
    in_document: float
    addend: float  # part of the score
    share: float  # the same divided by the score


class Pair(NamedTuple):
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
    model_files: Path | None = None


def explain(
    pairs: Sequence[Pair], questions: Questions, settings: SearchSettings, inputs: ExplainInputs
) -> list[Explanation]:
    """What the retriever of these settings, BM25 or sparse, adds up for each pair; one shard is held at a time."""
    of_kind = _by_weights if isinstance(settings.by, Sparse) else _by_bm25
    return of_kind(pairs, questions, settings, inputs)


def _by_bm25(
    pairs: Sequence[Pair], questions: Questions, settings: SearchSettings, inputs: ExplainInputs
) -> list[Explanation]:
    """By the index of each shard, with the counts of the whole corpus."""
    from sentflow.retrieval.analysers import analyser_of

    assert isinstance(settings.by, CountsTerms) and settings.analyser
    analyser, how, (corpus_name, ids) = (
        analyser_of(settings),
        settings.analyser.as_json(),
        read_ids(inputs.corpus),
    )
    text_of = dict(zip(questions.ids, questions.texts, strict=True))
    queries = {pair.question: analyser.terms([text_of[pair.question]])[0] for pair in pairs}
    row_of = {name: row for row, name in enumerate(ids)}
    whole = TermCounts.read(inputs.counts[0], corpus=corpus_name, analyser=how) if inputs.counts else None
    explained: dict[Pair, Explanation] = {}
    first = 0
    for file, shard in zip(inputs.terms, shards_of(corpus_name, len(inputs.terms)), strict=True):
        index = Bm25(TermIndex.read(file, corpus=shard, analyser=how), settings.by, whole)
        for pair in pairs:
            if 0 <= (row := row_of[pair.document] - first) < index.index.n_documents:
                explained[pair] = of_terms(index, row, queries[pair.question])
        first += index.index.n_documents
    return [explained[pair] for pair in pairs]


def _by_weights(
    pairs: Sequence[Pair], questions: Questions, settings: SearchSettings, inputs: ExplainInputs
) -> list[Explanation]:
    """By the best passage of a document, the first of equals. The tokenizer of the model names the terms."""
    from sentflow.encoders.manifest import read_manifest
    from sentflow.encoders.neural.tokenizer import term_names
    from sentflow.retrieval.retrievers.dense import document_vectors, question_vectors
    from sentflow.retrieval.retrievers.sparse import reader_of, refuse_other_terms, rounded

    by, manifest = settings.by, inputs.manifest
    assert isinstance(by, Sparse) and manifest
    vocabulary = read_json(inputs.queries[-1])["vocabulary_sha256"]
    name = term_names(read_manifest(manifest), inputs.model_files, vocabulary)
    corpus_name, ids = read_ids(inputs.corpus)
    row_of = {document: row for row, document in enumerate(ids)}
    terms = question_vectors(inputs.queries, questions, read=reader_of(by)).values
    question_row = {question: row for row, question in enumerate(questions.ids)}
    n_shards = len(inputs.documents_info)
    explained: dict[Pair, Explanation] = {}
    for number, shard in enumerate(shards_of(corpus_name, n_shards)):
        first, stop = rows_of_shard(shard, len(ids)) if n_shards > 1 else (0, len(ids))
        own = [pair for pair in pairs if first <= row_of[pair.document] < stop]
        if not own:
            continue
        files = [*inputs.documents[_FILES * number : _FILES * (number + 1)], inputs.documents_info[number]]
        refuse_other_terms(files[-1], inputs.queries[-1])
        texts = read_shard(inputs.corpus, shard) if n_shards > 1 else read_corpus(inputs.corpus)
        passages = inputs.passages[number] if inputs.passages else None
        held = document_vectors(files, passages, texts, read=reader_of(by))
        # with candidates, impacts only choose these, and are in no score
        values, step = rounded(held.values, None if by.candidates else by.impacts)
        for pair in own:
            row = question_row[pair.question]
            every = [
                of_weights(terms[row : row + 1], values[part : part + 1], name, step=step)
                for part in np.flatnonzero(held.documents == row_of[pair.document] - first)
            ]
            explained[pair] = max(every, key=lambda one: one.score, default=Explanation(()))
    return [explained[pair] for pair in pairs]


def agreeing(
    pairs: Sequence[Pair], explanations: Iterable[Explanation], run: Run, *, where: Path
) -> dict[Pair, Explanation]:
    """What is said of pairs, if it is what the scores of a run say; documents that the run lacks have none.

    Raises DataError: terms add up to another score: the run was made from other files, or by other settings.
    """
    found = dict(zip(pairs, explanations, strict=True))
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


def best_ranked(question: str, run: Run, questions: Questions, *, relevant: bool) -> str | None:
    """The best ranked document that is relevant, or that is not (which unjudged ones are not); None for none."""
    grades = questions.by_question()[question]
    ranked = run.documents(question) if question in run.ranked else []
    return next(
        (name for name in ranked if (grades.get(name, -math.inf) >= questions.relevant_grade) == relevant),
        None,
    )


def write_shared_terms(
    job: Search, explained: Callable[[Sequence[Pair]], list[Explanation]], *, run: Path, hardest: Path
) -> None:
    """Explain the questions worth reading, and write their rows."""
    hard = read_rows(hardest, HardQuestion, may_be_empty=True)
    _, ranked = read_run(run, job.ids)
    asked = {row.question: row.document for row in hard}  # a question may be in both views
    chosen = {}
    for name, document in asked.items():
        chosen[name, RELEVANT] = Pair(name, document)
        if wrong := best_ranked(name, ranked, job.questions, relevant=False):
            chosen[name, WRONG] = Pair(name, wrong)
    pairs = list(dict.fromkeys(chosen.values()))
    found = agreeing(pairs, explained(pairs), ranked, where=run)
    about = {"question_set": job.questions.name, "retriever": job.retriever}
    rows = [
        row
        for (_, which), pair in chosen.items()
        for row in _rows({**about, "which": which}, pair, found[pair], rank_of(pair, ranked))
    ]
    write_rows(job.output, SharedTerm, rows)
    logger.info("%s by %s: %d questions, %d documents", *about.values(), len(asked), len(chosen))


def _rows(about: Mapping[str, Any], pair: Pair, found: Explanation, rank: int) -> Iterator[SharedTerm]:
    for place, one in enumerate(found.shared[:TERMS] or [_NOTHING], start=bool(found.shared)):
        yield SharedTerm(
            **about,
            **pair._asdict(),
            rank=rank,
            score=found.score,
            n_shared=len(found.shared),
            rest=found.rest,
            rest_share=found.share(found.rest),
            place=place,
            **one._asdict(),
            share=found.share(one.addend),
        )
