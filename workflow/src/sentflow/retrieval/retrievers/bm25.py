"""BM25 over the terms of documents, and the files of these, for every retriever that counts them alike."""

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.files.parquet import Columns, numbers_of, read_described, readable, write_described
from sentflow.retrieval.analysers import analyser_of
from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.search import Search, SearchInputs, cost_of
from sentflow.retrieval.settings import CountsTerms

_SEPARATOR = "\x1f"


@dataclass(frozen=True)
class TermCounts:
    """What lexical scores need to know of a whole corpus."""

    n_documents: int
    n_terms: int  # of all documents, repeated ones each time
    n_documents_with: Mapping[str, int]  # by term, sorted, so that the order of shards changes nothing


def count_terms(parts: Iterable[Collection[Collection[str]]]) -> TermCounts:
    """The counts of a corpus, out of the terms of each document of its parts; holds one part at a time."""
    n_documents = n_terms = 0
    counted: Counter[str] = Counter()
    for terms in parts:
        n_documents += len(terms)
        n_terms += sum(map(len, terms))
        for own in terms:
            counted.update(set(own))
    return TermCounts(n_documents, n_terms, dict(sorted(counted.items())))


def write_counts(path: Path | str, counts: TermCounts) -> None:
    """Write counts as Parquet: columns term, n_documents."""
    columns: Columns = {
        "term": [*counts.n_documents_with],
        "n_documents": np.array([*counts.n_documents_with.values()], dtype=np.int64),
    }
    write_described(path, columns, {"n_documents": counts.n_documents, "n_terms": counts.n_terms})


def read_counts(path: Path | str) -> TermCounts:
    """Read what `write_counts` wrote."""
    with readable(path, "table of counts of terms"):
        about, stored = read_described(path)
        numbers = numbers_of(stored.column("n_documents")).tolist()
        by_term = dict(zip(stored.column("term").to_pylist(), numbers, strict=True))
        return TermCounts(about["n_documents"], about["n_terms"], by_term)


def write_terms(path: Path | str, terms: list[list[str]], *, corpus: str, analyser: str) -> None:
    """Write the terms of n documents as Parquet: columns n_terms, terms."""
    columns: Columns = {
        "n_terms": np.array([len(own) for own in terms], dtype=np.int64),
        "terms": [_SEPARATOR.join(own) for own in terms],
    }
    write_described(path, columns, {"terms_of": corpus, "analyser": analyser})


def read_terms(path: Path | str) -> list[list[str]]:
    """The terms of each document."""
    with readable(path, "table of terms"):
        _, stored = read_described(path)
        counts = numbers_of(stored.column("n_terms")).tolist()
        joined = stored.column("terms").to_pylist()
        return [own.split(_SEPARATOR) if n else [] for n, own in zip(counts, joined, strict=True)]


class Bm25:
    """An index of a corpus, or of a part of one.

    `settings`: variant and parameters, as Kamphuis et al. 2020 ("Which BM25 do you mean?") name them. ``lucene``:
    idf = ln(1 + (N − df + ½) / (df + ½)), tf / (tf + k1 (1 − b + b dl / avgdl)). `counts`: of the corpus that the
    documents are a part of; None where they are all of it. Scores have the bits of bm25s (Lù 2024): single precision,
    products in double. Variants that add `delta` give a score for terms that a document lacks, too.
    """

    def __init__(
        self, terms: Sequence[Sequence[str]], settings: CountsTerms, counts: TermCounts | None = None
    ) -> None:
        whole = count_terms([terms]) if counts is None else counts
        self._n_documents = n = len(terms)
        self._number = {term: number for number, term in enumerate(whole.n_documents_with)}
        numbers = np.array([self._number[term] for own in terms for term in own], dtype=np.int64)
        lengths = np.array([len(own) for own in terms], dtype=np.int64)
        owners = np.repeat(np.arange(n), lengths)
        postings, frequencies = np.unique(numbers * n + owners, return_counts=True)
        term, document = np.divmod(postings, max(n, 1))
        self._documents = document.astype(np.int32)
        # 4 bytes in a part, 8 in the whole: `index_bytes` counts them
        self._starts = np.searchsorted(term, np.arange(len(self._number) + 1)).astype(
            np.int32 if counts else np.int64
        )
        rarity = [_rarity(settings.variant, df, whole.n_documents) for df in whole.n_documents_with.values()]
        mean = whole.n_terms / max(whole.n_documents, 1) or 1
        relative = 1 - settings.b + settings.b * lengths / mean
        counted = _saturated(frequencies.astype(np.float32), relative[document], settings)
        scores = np.array(rarity, dtype=np.float32)[term] * counted
        self._absent: np.ndarray | None = None
        if settings.variant in ("bm25l", "bm25+"):
            self._absent = (np.array(rarity) * _saturated(0, 1, settings)).astype(np.float32)
            scores -= self._absent[term]
        self._scores = scores.astype(np.float32)

    @property
    def n_bytes(self) -> int:
        """Of the arrays that are searched: a score and a document per posting, and where each term begins."""
        return sum(array.nbytes for array in (self._scores, self._documents, self._starts))

    def scores(self, terms: Sequence[str]) -> np.ndarray:
        """(n,) float32 scores of all documents; a term that repeats counts each time."""
        numbers = [self._number[term] for term in terms if term in self._number]
        scores = np.zeros(self._n_documents, dtype=np.float32)
        np.add.at(
            scores, self._of_postings(self._documents, numbers), self._of_postings(self._scores, numbers)
        )
        if self._absent is not None and numbers:
            scores += self._absent[numbers].sum()
        return scores

    def holds(self, terms: Sequence[str]) -> np.ndarray:
        """(n,) bool: documents with at least one of the terms. Their score may be 0: a weight of a term may be."""
        held = np.zeros(self._n_documents, dtype=bool)
        numbers = {self._number[term] for term in terms if term in self._number}
        held[self._of_postings(self._documents, numbers)] = True
        return held

    def _of_postings(self, values: np.ndarray, numbers: Iterable[int]) -> np.ndarray:
        """What an array has for the postings of terms, one term after the other."""
        parts = [values[slice(*self._starts[number : number + 2].tolist())] for number in numbers]
        return np.concatenate(parts) if parts else values[:0]

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
    questions: Sequence[Collection[str]], documents: list[list[str]], index_bytes: int
) -> dict[str, Any]:
    """What a search costs, see `sentflow.retrieval.retrievers.sparse.sparsity`; a term counts once in its text."""
    asked, held = (count_terms([texts]).n_documents_with for texts in (questions, documents))
    n_asked, n_documents = max(len(questions), 1), max(len(documents), 1)
    matches = sum(n * held.get(term, 0) for term, n in asked.items()) / (n_asked * n_documents)
    return {
        "terms_per_question": sum(asked.values()) / n_asked,
        "terms_per_document": sum(held.values()) / n_documents,
        "expected_matches": matches,
        **cost_of(len(documents), index_bytes, flops=matches),
    }


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents that BM25 ranks first."""
    answer(job, inputs, lambda terms, *_: terms, Bm25.search)


def answer(
    job: Search, inputs: SearchInputs, asked: Callable[..., Any], found: Callable[..., Iterator[Ranked]]
) -> None:
    """Search by terms. `asked`: terms, index and documents → the question; `found`: index, questions and k → ranked."""
    assert isinstance(job.settings.by, CountsTerms) and inputs.terms
    analyser = analyser_of(job.settings)
    documents = read_terms(inputs.terms)
    index = Bm25(documents, job.settings.by, read_counts(inputs.counts) if inputs.counts else None)
    start = time.perf_counter()
    # one question after the other, as they are asked: cutting them into terms is part of answering
    queries = [asked(analyser.terms([text])[0], index, documents) for text in job.questions.texts]
    cost = {"question_seconds": time.perf_counter() - start}
    cost |= sparsity_of_terms(queries, documents, index.n_bytes)
    job.write(found(index, queries, job.k), cost=cost)
