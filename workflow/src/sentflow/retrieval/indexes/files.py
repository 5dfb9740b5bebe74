"""What the jobs of approximate indexes read alike: of documents and of questions, dense vectors or weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.retrieval.approximate import check
from sentflow.retrieval.indexes.contract import Searched
from sentflow.retrieval.indexes.vectors import SearchedVectors
from sentflow.retrieval.indexes.weights import SearchedWeights
from sentflow.retrieval.settings import Dense, IndexSettings, Retriever, Sparse
from sentflow.retrieval.sparse_files import read_weights, refuse_other_terms
from sentflow.retrieval.vector_files import Reader, ReadVectors, document_vectors, question_vectors
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.lookup import read_vectors


@dataclass(frozen=True)
class Indexed:
    """What an index is of, as a job is given it.

    Attributes
    ----------
    settings
        Of the index.
    read
        The vectors of the documents, and how much of their texts the encoder read.
    corpus
        The same as they are searched.
    info
        The file that describes the vectors.
    """

    settings: IndexSettings
    read: ReadVectors
    corpus: Searched
    info: Path

    @classmethod
    def of(cls, by: Retriever, files: Sequence[Path], passages: Path | None, corpus: Corpus) -> "Indexed":
        """Read the vectors of the documents; for `files`, `passages` and `corpus` see `document_vectors`.

        Raises
        ------
        ConfigError
            The library of the index is not installed, or does not run here.
        DataError
            A file is missing or damaged, or the files do not belong together.
        """
        assert isinstance(by, Dense | Sparse) and by.index is not None
        check(by.index)
        read: Any = document_vectors(files, passages, corpus, read=_reader(by.index))
        if isinstance(by, Dense):
            return cls(by.index, read, SearchedVectors(read, by.similarity), files[-1])
        return cls(by.index, read, SearchedWeights.of(read.values, read.documents, by.impacts), files[-1])

    def questions(self, files: Sequence[Path], questions: Questions) -> ReadVectors:
        """Read the vectors of the questions, see `question_vectors`.

        Raises
        ------
        DataError
            A file is missing or damaged; or the terms of documents and questions are not the same.
        """
        if self.settings.of_weights:
            refuse_other_terms(self.info, files[-1])
        return question_vectors(files, questions, read=_reader(self.settings))


def _reader(index: IndexSettings) -> Reader:
    return read_weights if index.of_weights else read_vectors
