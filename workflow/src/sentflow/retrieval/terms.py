"""Files of terms: those of each document, for every retriever that counts them alike."""

from pathlib import Path

import numpy as np

from sentflow.files.arrow import Columns, numbers_of
from sentflow.files.parquet import read_described, readable, write_described

_SEPARATOR = "\x1f"


def write_terms(path: Path | str, terms: list[list[str]], *, corpus: str, analyser: str) -> None:
    """Write the terms of n documents as Parquet: columns n_terms, terms."""
    columns: Columns = {
        "n_terms": np.array([len(own) for own in terms], dtype=np.int64),
        "terms": [_SEPARATOR.join(own) for own in terms],
    }
    write_described(path, columns, {"terms_of": corpus, "analyser": analyser})


def read_terms(path: Path | str) -> list[list[str]]:
    """The terms of each document.

    Raises
    ------
    DataError
        The file is none of these, is damaged, or is not that of the digest beside it.
    """
    with readable(path, "table of terms"):
        _, stored = read_described(path)
        counts = numbers_of(stored.column("n_terms")).tolist()
        joined = stored.column("terms").to_pylist()
        return [own.split(_SEPARATOR) if n else [] for n, own in zip(counts, joined, strict=True)]
