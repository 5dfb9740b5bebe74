"""Which documents hold a term, and how often: made once of a corpus and an analyser, for all variants of BM25."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any, Self

import numpy as np

from sentflow.errors import DataError
from sentflow.files.arrays import read_arrays, write_arrays
from sentflow.files.parquet import readable
from sentflow.texts.shards import whole_of


@dataclass(frozen=True, eq=False, kw_only=True)
class TermCounts:
    """In how many documents of a corpus each term is.

    Raises ValueError: the lengths of arrays do not fit one another.
    """

    corpus: str = ""
    analyser: str = ""  # its settings as JSON
    n_documents: int
    n_terms: int  # of all documents, repeated ones each time
    terms: Sequence[Any]  # t different ones, ascending, so that the order of shards changes nothing
    # starts: (t + 1,) int64 sums of the numbers of documents of all terms before
    starts: np.ndarray

    def __post_init__(self) -> None:
        if len(self.starts) != len(self.terms) + 1:
            raise ValueError(f"{len(self.terms)} terms, but {len(self.starts)} starts")

    @classmethod
    def summed(cls, parts: Iterable["TermCounts"]) -> "TermCounts":
        """The counts of a corpus, of those of its shards."""
        n_documents = n_terms = 0
        counted: Counter[str] = Counter()
        corpus = analyser = ""
        for part in parts:
            corpus, analyser = whole_of(part.corpus), part.analyser
            n_documents += part.n_documents
            n_terms += part.n_terms
            counted.update(dict(zip(map(str, part.terms), np.diff(part.starts).tolist(), strict=True)))
        terms = sorted(counted)
        return TermCounts(
            corpus=corpus,
            analyser=analyser,
            n_documents=n_documents,
            n_terms=n_terms,
            terms=terms,
            starts=_starts([counted[term] for term in terms]),
        )

    def place(self, term: str) -> int | None:
        """Which of the terms it is; None where the corpus does not have it."""
        place = bisect_left(self.terms, term, key=str)
        return place if place < len(self.terms) and str(self.terms[place]) == term else None

    def n_documents_with(self, term: str) -> int:
        """How many documents hold a term."""
        place = self.place(term)
        return 0 if place is None else int(self.starts[place + 1] - self.starts[place])

    def write(self, path: Path | str) -> None:
        """Write an index, or counts; it is read with the digest beside it alone."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        about = {name: value for name, value in values.items() if isinstance(value, str | int)}
        write_arrays(path, {name: value for name, value in values.items() if name not in about}, about)

    @classmethod
    def read(cls, path: Path | str, **expected: str) -> Self:
        """Map what `write` wrote into memory. `expected`: its corpus and its analyser.

        Raises DataError: it is missing, cut or damaged, or of another corpus or analyser.
        """
        with readable(path, "index of terms"):
            about, arrays = read_arrays(path)
            found = cls(**about, **arrays)
        for name, value in expected.items():
            if getattr(found, name) != value:
                raise DataError(
                    f"{path} is the index of another {name}, {getattr(found, name)}; expected {value}. Delete it and "
                    "run snakemake again."
                )
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class TermIndex(TermCounts):
    """Which documents of a corpus hold each term, and how often; the postings of a term begin at its start.

    Raises ValueError: the lengths of arrays do not fit one another.
    """

    documents: np.ndarray  # (p,) int32 rows, ascending for each term
    frequencies: np.ndarray  # (p,) unsigned
    lengths: np.ndarray  # (n_documents,) int64 terms of each document

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = (len(self.documents), len(self.frequencies), len(self.lengths))
        if sizes != (self.starts[-1], self.starts[-1], self.n_documents):
            raise ValueError(
                f"{sizes[0]} postings of {self.starts[-1]}, {sizes[2]} documents of {self.n_documents}"
            )

    @classmethod
    def of(
        cls, parts: Iterable[Sequence[Sequence[str]]], *, corpus: str = "", analyser: str = ""
    ) -> "TermIndex":
        """The index of the terms of each document, which come in parts, of which one is held at a time."""
        numbers: dict[str, int] = defaultdict(count().__next__)
        lengths, pieces, n_documents = [np.zeros(0, np.int64)], [], 0
        for part in parts:
            own = np.array([len(terms) for terms in part], dtype=np.int64)
            held = map(numbers.__getitem__, chain.from_iterable(part))
            keys = np.fromiter(held, np.int64) * len(own) + np.repeat(np.arange(len(own)), own)
            postings, frequencies = np.unique(keys, return_counts=True)
            number, row = np.divmod(postings, max(len(own), 1))
            smallest = np.min_scalar_type(frequencies.max(initial=0))
            n_with = np.bincount(number)
            known = np.flatnonzero(n_with)
            rows = (row + n_documents).astype(np.int32)
            pieces.append((known, n_with[known], rows, frequencies.astype(smallest)))
            lengths.append(own)
            n_documents += len(own)
        terms = sorted(numbers)
        place = np.empty(len(terms), dtype=np.int64)  # of a number among the sorted terms
        place[[numbers[term] for term in terms]] = np.arange(len(terms))
        counts = np.zeros(len(terms), dtype=np.int64)
        for known, n_with, *_ in pieces:
            counts[place[known]] += n_with
        starts = _starts(counts)
        documents = np.empty(starts[-1], dtype=np.int32)
        narrow = np.result_type(np.uint8, *(piece[-1].dtype for piece in pieces))
        every, free = np.empty(starts[-1], dtype=narrow), starts[:-1].copy()
        for known, n_with, rows, frequencies in pieces:
            before = np.cumsum(n_with) - n_with
            there = np.repeat(free[place[known]] - before, n_with) + np.arange(len(rows))
            documents[there], every[there] = rows, frequencies
            free[place[known]] += n_with
        all_lengths = np.concatenate(lengths)
        return cls(
            corpus=corpus,
            analyser=analyser,
            n_documents=n_documents,
            n_terms=int(all_lengths.sum()),
            terms=terms,
            starts=starts,
            documents=documents,
            frequencies=every,
            lengths=all_lengths,
        )

    def postings(self, term: str) -> tuple[np.ndarray, np.ndarray]:
        """The rows of the documents that hold a term, ascending, and how often each does."""
        place = self.place(term)
        own = slice(0, 0) if place is None else slice(*self.starts[place : place + 2].tolist())
        return self.documents[own], self.frequencies[own]

    def frequency(self, term: str, row: int) -> int:
        """How often a document holds a term."""
        documents, frequencies = self.postings(term)
        place = int(np.searchsorted(documents, row))
        return int(frequencies[place]) if place < len(documents) and documents[place] == row else 0

    def terms_of(self, row: int) -> dict[str, int]:
        """The terms of a document, and how often it holds each."""
        order, starts = self._by_document
        own = order[starts[row] : starts[row + 1]]
        places = np.searchsorted(self.starts, own, side="right") - 1
        held = zip(places.tolist(), self.frequencies[own].tolist(), strict=True)
        return {str(self.terms[place]): n for place, n in held}

    @cached_property
    def _by_document(self) -> tuple[np.ndarray, np.ndarray]:
        """Which postings each document has, one document after the other, and where each begins."""
        counts = np.bincount(self.documents, minlength=self.n_documents)
        return np.argsort(self.documents, kind="stable"), _starts(counts)


def _starts(counts: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
