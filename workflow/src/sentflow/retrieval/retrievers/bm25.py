"""BM25 over an index of terms, for every retriever that counts them alike."""

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sentflow.retrieval.analysers import analyser_of
from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.search import Search, SearchInputs, cost_of
from sentflow.retrieval.settings import CountsTerms
from sentflow.retrieval.term_index import TermCounts, TermIndex
from sentflow.texts.shards import whole_of


class Bm25:
    """Scores of the documents of a corpus, or of a part of one.

    `settings`: variant and parameters, as Kamphuis et al. 2020 ("Which BM25 do you mean?") name them. ``lucene``:
    idf = ln(1 + (N − df + ½) / (df + ½)), tf / (tf + k1 (1 − b + b dl / avgdl)). `counts`: of the corpus that the
    documents are a part of; None where they are all of it. Scores have the bits of bm25s (Lù 2024): single precision,
    products in double. Variants that add `delta` give a score for terms that a document lacks, too. Only the terms
    that are asked for are read of the index, and kept.
    """

    def __init__(self, index: TermIndex, settings: CountsTerms, counts: TermCounts | None = None) -> None:
        self.index, self._settings = index, settings
        self._whole = index if counts is None else counts
        mean = self._whole.n_terms / max(self._whole.n_documents, 1) or 1
        self._relative = 1 - settings.b + settings.b * index.lengths / mean
        self._has_absent = settings.variant in ("bm25l", "bm25+")
        self._known: dict[str, tuple[np.ndarray, np.ndarray, np.float32] | None] = {}
        # documents and scores of postings, and where terms begin: 4 bytes in a part, 8 in the whole
        self.n_bytes = 8 * len(index.documents) + (8 if counts is None else 4) * len(self._whole.starts)

    def scores(self, terms: Sequence[str]) -> np.ndarray:
        """(n,) float32 scores of all documents; a term that repeats counts each time."""
        scores = np.zeros(len(self._relative), dtype=np.float32)
        found = [known for term in terms if (known := self._term(term))]
        for documents, own, _ in found:
            np.add.at(scores, documents, own)
        if self._has_absent and found:
            scores += np.array([absent for *_, absent in found]).sum()
        return scores

    def holds(self, terms: Sequence[str]) -> np.ndarray:
        """(n,) bool: documents with at least one of the terms. Their score may be 0: a weight of a term may be."""
        held = np.zeros(len(self._relative), dtype=bool)
        for term in {*terms}:
            if known := self._term(term):
                held[known[0]] = True
        return held

    def _term(self, term: str) -> tuple[np.ndarray, np.ndarray, np.float32] | None:
        """Documents with a term, what it adds to their scores, and what to all; None where no document has it."""
        if term not in self._known:
            n_with = self._whole.n_documents_with(term)
            self._known[term] = self._scored(term, n_with) if n_with else None
        return self._known[term]

    def _scored(self, term: str, n_with: int) -> tuple[np.ndarray, np.ndarray, np.float32]:
        documents, frequencies = self.index.postings(term)
        rarity = _rarity(self._settings.variant, n_with, self._whole.n_documents)
        counted = _saturated(frequencies.astype(np.float32), self._relative[documents], self._settings)
        scores, absent = np.float32(rarity) * counted, np.float32(0)
        if self._has_absent:
            absent = np.float32(rarity * _saturated(0, 1, self._settings))
            scores -= absent
        return documents.astype(np.intp), scores.astype(np.float32), absent

    def search(self, questions: Iterable[Sequence[str]], k: int) -> Iterator[Ranked]:
        """The k best documents of each question that hold at least one of its terms."""
        for terms in questions:
            scores = self.scores(terms)
            scores[~self.holds(terms)] = -np.inf
            yield top(scores, k)


def _rarity(variant: str, df: int, n: int) -> float:
    """The inverse document frequency of a term."""
    match variant:
        case "lucene":
            return math.log(1 + (n - df + 0.5) / (df + 0.5))
        case "robertson":
            return math.log(max(1, (n - df + 0.5) / (df + 0.5)))
        case "atire":
            return math.log(n / df)
        case "bm25l":
            return math.log((n + 1) / (df + 0.5))
    return math.log((n + 1) / df)


def _saturated(frequencies: Any, lengths: Any, settings: CountsTerms) -> Any:
    """What frequencies of a term count in documents of such lengths, 1 − b + b dl / avgdl."""
    # With 0, what a document lacks would count 0 / 0; this changes no other number
    k1, delta = settings.k1 or sys.float_info.min, settings.delta
    match settings.variant:
        case "lucene" | "robertson":
            return frequencies / (k1 * lengths + frequencies)
        case "atire":
            return (frequencies * (k1 + 1)) / (frequencies + k1 * lengths)
        case "bm25l":
            relative = frequencies / lengths
            return ((k1 + 1) * (relative + delta)) / (k1 + relative + delta)
    return ((k1 + 1) * frequencies) / (k1 * lengths + frequencies) + delta


def sparsity_of_terms(
    questions: Sequence[Collection[str]], index: TermIndex, index_bytes: int
) -> dict[str, Any]:
    """What a search costs, see `sentflow.retrieval.retrievers.sparse.sparsity`; a term counts once in its text."""
    asked = Counter(term for terms in questions for term in {*terms})
    n_asked, n_documents = max(len(questions), 1), max(index.n_documents, 1)
    matches = sum(n * index.n_documents_with(term) for term, n in asked.items()) / (n_asked * n_documents)
    return {
        "terms_per_question": asked.total() / n_asked,
        "terms_per_document": len(index.documents) / n_documents,
        "expected_matches": matches,
        **cost_of(index.n_documents, index_bytes, flops=matches),
    }


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents that BM25 ranks first."""
    answer(job, inputs, lambda terms, *_: terms, Bm25.search)


def answer(
    job: Search, inputs: SearchInputs, asked: Callable[..., Any], found: Callable[..., Iterator[Ranked]]
) -> None:
    """Search by terms. `asked`: terms and index → the question; `found`: index, questions and k → ranked."""
    settings = job.settings
    assert isinstance(settings.by, CountsTerms) and settings.analyser and inputs.terms
    how = settings.analyser.as_json()
    terms = TermIndex.read(inputs.terms, corpus=job.corpus_name, analyser=how)
    whole = whole_of(job.corpus_name)
    counts = TermCounts.read(inputs.counts, corpus=whole, analyser=how) if inputs.counts else None
    analyser, index = analyser_of(settings), Bm25(terms, settings.by, counts)
    start = time.perf_counter()
    # one question after the other, as they are asked: cutting them into terms is part of answering
    queries = [asked(analyser.terms([text])[0], index) for text in job.questions.texts]
    cost = {"question_seconds": time.perf_counter() - start}
    cost |= sparsity_of_terms(queries, terms, index.n_bytes)
    job.write(found(index, queries, job.k), cost=cost)
