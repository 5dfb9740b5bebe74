"""What an approximate index is of, and what a back end offers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.settings import IndexSettings


class Searched(Protocol):
    """Vectors that stand for documents, with what compares a question with them: dense, or weights of terms."""

    @property
    def vectors(self) -> Any:
        """``values``, (n, width); ``documents``, (n,) int64 row of the document of each in the corpus, ascending."""

    @property
    def n_bytes(self) -> int:
        """Of the arrays that the exact search reads."""

    @property
    def above(self) -> float:
        """Only documents with a greater score are found."""

    def indexed(self) -> Any:
        """The n vectors as an index is built of them."""

    def asked(self, questions: Any) -> Any:
        """Vectors of questions, (q, width), as an index and `scores` take them."""

    def scores(self, asked: Any, row: int, rows: np.ndarray) -> np.ndarray:
        """Scores of the vectors `rows` for the question at a row of `asked`: those of the exact search."""

    def exact(self, questions: Any, k: int) -> Iterator[Ranked]:
        """The k best documents of each question, by comparing all vectors."""

    def cost(self, questions: Any) -> dict[str, Any]:
        """What is known of the cost of a search beside its time and the size of its files."""


class Index(Protocol):
    """What a back end builds."""

    def write(self, path: Path) -> None:
        """Write the index into a file of just this name."""

    def nearest(self, asked: Any, wanted: int) -> Iterator[np.ndarray]:
        """For each question the rows of at most so many vectors that are likely to be its best, in any order."""


class IndexModule(Protocol):
    """A back end: the module of a kind of index."""

    def check(self) -> None:
        """Refuse a machine on which its library is not installed, or does not run.

        Raises
        ------
        ConfigError
            Says what to install, or to write instead.
        """

    def build(self, vectors: Any, settings: IndexSettings) -> Index:
        """An index of `Searched.indexed`, on one thread.

        Raises
        ------
        ConfigError
            See `check`; or the parameters do not fit the vectors.
        DataError
            It cannot keep the vectors as they are.
        """

    def read(self, path: Path, settings: IndexSettings, width: int) -> Index:
        """An index of vectors of so many values, out of a file that `Index.write` wrote."""
