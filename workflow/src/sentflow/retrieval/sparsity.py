"""What a search by weights of terms costs: how many terms there are, and how many of them meet."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

# What is a mean over vectors of documents, so that a corpus has the mean of its shards
_OF_DOCUMENTS = ("terms_per_document", "expected_matches", "bytes_per_document")


def sparsity(
    questions: csr_array, documents: csr_array, *, vectors: np.ndarray | None = None
) -> dict[str, Any]:
    """Sizes and costs of two sets of vectors over one vocabulary.

    Parameters
    ----------
    questions, documents
        (q, d), (n, d); numbers that are stored count as terms. Where passages stand for documents, these are passages.
    vectors
        Of the terms of documents, where they are searched, too.

    Returns
    -------
    dict
        ``n_vectors``; ``terms_per_question`` and ``terms_per_document``, means; ``expected_matches``, Σ_j P(j ∈ q) P(j
        ∈ d), the terms that a question and a document share on average (Paria et al. 2020, arXiv 2004.05665, call it
        FLOPS); ``bytes_per_document`` and ``index_bytes``, of the arrays that are searched.
    """
    arrays = (documents.data, documents.indices, documents.indptr, *([] if vectors is None else [vectors]))
    size = sum(array.nbytes for array in arrays)
    n_asked, n_vectors = max(questions.shape[0], 1), max(documents.shape[0], 1)
    return {
        "n_vectors": documents.shape[0],
        "terms_per_question": questions.nnz / n_asked,
        "terms_per_document": documents.nnz / n_vectors,
        "expected_matches": float(_shares(questions, n_asked) @ _shares(documents, n_vectors)),
        "bytes_per_document": size / n_vectors,
        "index_bytes": size,
    }


def sparsity_of_shards(shards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The same of a whole corpus, but for its bytes, out of what is known of its shards; nothing where nothing is."""
    if not all("n_vectors" in shard for shard in shards):
        return {}
    n_vectors = [shard["n_vectors"] for shard in shards]
    means = {key: np.average([shard[key] for shard in shards], weights=n_vectors) for key in _OF_DOCUMENTS}
    return {
        "n_vectors": sum(n_vectors),
        "terms_per_question": shards[0]["terms_per_question"],
        **{key: float(mean) for key, mean in means.items()},
    }


def _shares(vectors: csr_array, n: int) -> np.ndarray:
    """(d,) float64 share of the n vectors that have each term."""
    shares: np.ndarray = np.bincount(vectors.indices, minlength=vectors.shape[1]) / n
    return shares
