"""Files of terms: those of each document, for every retriever that counts them alike."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentflow.files.parquet import Columns, numbers_of, read_described, readable, write_described

_SEPARATOR = "\x1f"


@dataclass(frozen=True)
class TermCounts:
    """What lexical scores need to know of a whole corpus."""

    # n_documents, n_terms: documents, and terms of all of them, repeated ones each time
    n_documents: int
    n_terms: int
    # n_documents_with: term → documents that it is in; sorted, so that the order of shards changes nothing
    n_documents_with: Mapping[str, int]


def count_terms(parts: Iterable[list[list[str]]]) -> TermCounts:
    """The counts of a corpus, out of the terms of each document of its parts; holds one part at a time."""
    n_documents = n_terms = 0
    found: Counter[str] = Counter()
    for terms in parts:
        n_documents += len(terms)
        n_terms += sum(map(len, terms))
        for own in terms:
            found.update(set(own))
    return TermCounts(n_documents, n_terms, dict(sorted(found.items())))


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
        found = dict(zip(stored.column("term").to_pylist(), numbers, strict=True))
        return TermCounts(about["n_documents"], about["n_terms"], found)


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
