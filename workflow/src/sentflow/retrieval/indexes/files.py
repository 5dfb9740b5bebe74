"""What the jobs of approximate indexes read alike: of documents and of questions, dense vectors or weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.retrieval.indexes.contract import IndexSettings, Searched
from sentflow.retrieval.indexes.table import KINDS
from sentflow.retrieval.indexes.vectors import SearchedVectors
from sentflow.retrieval.indexes.weights import SearchedWeights
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
    files
        In which they are.
    """

    settings: IndexSettings
    read: ReadVectors
    corpus: Searched
    files: Sequence[Path]

    @classmethod
    def of(
        cls, files: Sequence[Path], passages: Sequence[Path], corpus: Corpus, settings: Mapping[str, Any]
    ) -> "Indexed":
        """Read the vectors of the documents.

        Parameters
        ----------
        files, passages, corpus
            See `document_vectors`.
        settings
            ``index``; ``similarity`` of dense vectors; ``impacts`` of weights that are rounded.

        Raises
        ------
        DataError
            A file is missing or damaged, or the files do not belong together.
        """
        index = IndexSettings.of(settings["index"])
        read = document_vectors(files, passages, corpus, read=_reader(index))
        return cls(index, read, _searched(read, index, settings), files)

    def questions(self, files: Sequence[Path], questions: Questions) -> ReadVectors:
        """Read the vectors of the questions, see `question_vectors`.

        Raises
        ------
        DataError
            A file is missing or damaged; or the terms of documents and questions are not the same.
        """
        if _of_weights(self.settings):
            refuse_other_terms(self.files[-1], files[-1])
        return question_vectors(files, questions, read=_reader(self.settings))


def _of_weights(index: IndexSettings) -> bool:
    return KINDS[index.kind].of_weights


def _reader(index: IndexSettings) -> Reader:
    return read_weights if _of_weights(index) else read_vectors


def _searched(read: ReadVectors, index: IndexSettings, settings: Mapping[str, Any]) -> Searched:
    if _of_weights(index):
        return SearchedWeights.of(read.values, read.documents, settings.get("impacts"))
    return SearchedVectors(read, settings["similarity"])
