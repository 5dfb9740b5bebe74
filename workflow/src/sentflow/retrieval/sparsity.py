"""What a search costs, in the same words for all: how many terms there are, how many of them meet, and bytes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sentflow.retrieval.terms import count_terms

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# What is a mean over vectors of documents, so that a corpus has the mean of its shards
_OF_DOCUMENTS = ("terms_per_document", "expected_matches", "flops", "bytes_per_document")
# What is of the questions alone, which are those of every shard
_OF_QUESTIONS = ("terms_per_question", "question_seconds")


def sparsity(
    questions: "csr_array", documents: "csr_array", *, vectors: np.ndarray | None = None
) -> dict[str, Any]:
    """Sizes and costs of two sets of vectors over one vocabulary.

    `questions`, `documents`: (q, d), (n, d); numbers that are stored count as terms. Where passages stand for
    documents, these are passages. `vectors`: of the terms of documents, where they are searched, too. Returns
    ``n_vectors``; ``terms_per_question`` and ``terms_per_document``, means; ``expected_matches``, Σ_j
    P(j ∈ q) P(j ∈ d), the terms that a question and a document share on average (Paria et al. 2020, arXiv 2004.05665,
    call it FLOPS), and ``flops``, which is the same, for each takes one product of weights; ``bytes_per_document`` and
    ``index_bytes``, of the arrays that are searched.
    """
    arrays = (documents.data, documents.indices, documents.indptr, *([] if vectors is None else [vectors]))
    size = sum(array.nbytes for array in arrays)
    n_asked, n_vectors = max(questions.shape[0], 1), max(documents.shape[0], 1)
    matches = float(_shares(questions, n_asked) @ _shares(documents, n_vectors))
    return {
        "terms_per_question": questions.nnz / n_asked,
        "terms_per_document": documents.nnz / n_vectors,
        "expected_matches": matches,
        **_sizes(documents.shape[0], size, flops=matches),
    }


def sparsity_of_terms(
    questions: list[list[str]], documents: list[list[str]], index_bytes: int
) -> dict[str, Any]:
    """The same of texts that were cut into terms, each of which counts once in its text."""
    asked, held = (count_terms([texts]).n_documents_with for texts in (questions, documents))
    n_asked, n_documents = max(len(questions), 1), max(len(documents), 1)
    matches = sum(n * held.get(term, 0) for term, n in asked.items()) / (n_asked * n_documents)
    return {
        "terms_per_question": sum(asked.values()) / n_asked,
        "terms_per_document": sum(held.values()) / n_documents,
        "expected_matches": matches,
        **_sizes(len(documents), index_bytes, flops=matches),
    }


def cost_of_vectors(documents: np.ndarray) -> dict[str, Any]:
    """The same of (n, d) vectors without terms, where ``flops`` is d: every value is multiplied."""
    return _sizes(len(documents), documents.nbytes, flops=float(documents.shape[1]))


def sparsity_of_shards(shards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The same of a whole corpus, but for its bytes, out of what is known of its shards; nothing where nothing is."""
    if not all("n_vectors" in shard for shard in shards):
        return {}
    n_vectors = [shard["n_vectors"] for shard in shards]
    means = {
        key: float(np.average([shard[key] for shard in shards], weights=n_vectors))
        for key in _OF_DOCUMENTS
        if key in shards[0]
    }
    return {
        "n_vectors": sum(n_vectors),
        **{key: shards[0][key] for key in _OF_QUESTIONS if key in shards[0]},
        **means,
    }


def _sizes(n_vectors: int, index_bytes: int, *, flops: float) -> dict[str, Any]:
    return {
        "n_vectors": n_vectors,
        "flops": flops,
        "bytes_per_document": index_bytes / max(n_vectors, 1),
        "index_bytes": index_bytes,
    }


def _shares(vectors: "csr_array", n: int) -> np.ndarray:
    """(d,) float64 share of the n vectors that have each term."""
    shares: np.ndarray = np.bincount(vectors.indices, minlength=vectors.shape[1]) / n
    return shares
