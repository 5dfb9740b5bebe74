"""The weights of terms of a search, as jobs are given them; they are read as vectors are."""

from pathlib import Path

from sentflow.encoders.vectors.sparse import SPARSE_FORM, SparseForm, read_sparse
from sentflow.encoders.vectors.terms import TERM_FORM
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.texts.collection import read_texts, rows_of
from sentflow.texts.lookup import TextVectors

# What must be equal in the descriptions of two files for their columns to be the same terms by the same model
_SAME = ("model", "files_sha256", "vocabulary_sha256")


def read_weights(texts: Path, npz: Path, info: Path) -> TextVectors:
    """Read the texts of a collection, the weights of their terms, and what describes these; no vectors of terms."""
    return _read(texts, npz, info, SPARSE_FORM)


def read_terms(texts: Path, npz: Path, info: Path) -> TextVectors:
    """The same with vectors of terms: `sentflow.encoders.vectors.terms.TermEmbeddings`."""
    return _read(texts, npz, info, TERM_FORM)


def _read(texts: Path, npz: Path, info: Path, form: SparseForm) -> TextVectors:
    distinct = read_texts(texts)
    return TextVectors(distinct, read_sparse(npz, info, distinct, form=form), rows_of(distinct, file=texts))


def refuse_other_terms(documents: Path, questions: Path) -> None:
    """Refuse documents and questions whose terms are not the same."""
    first, second = (read_json(info) for info in (documents, questions))
    if differ := [key for key in _SAME if first.get(key) != second.get(key)]:
        raise DataError(
            f"{documents} and {questions} describe weights that cannot be compared: {', '.join(differ)} differ. One "
            "model must weigh the terms of documents and of questions. Delete both with their .npz and run snakemake "
            "again."
        )
