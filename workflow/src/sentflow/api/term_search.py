"""Search in notebooks by weights of terms: with a SparseEncoder of sentence-transformers, or a SparsEmbed."""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sentflow.api.arguments import ArgumentError
from sentflow.encoders.vectors.terms import TERM_FORM, TermEmbeddings
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.retrievers.sparse import TermCorpus, reordered
from sentflow.retrieval.sparse import SparseVectors, search

_CLASSES = {"sentence_transformers": "SparseEncoder", "sentflow.sparse.model": "SparsEmbed"}
_QUERY, _DOCUMENT = "query", "document"


def weighs_terms(model: Any) -> bool:
    """Whether a model is one of those that give weights of terms."""
    return any(_is(model, module) for module in _CLASSES)


def has_vectors_of_terms(model: Any) -> bool:
    """Whether it gives a vector for each weight, too."""
    return _is(model, "sentflow.sparse.model")


def search_terms(
    model: Any,
    questions: Sequence[str],
    texts: Sequence[str],
    k: int,
    *,
    candidates: int | None,
    batch_size: int,
) -> list[Ranked]:
    """The k best texts of each question, as retrievers of kind `sparse` find them."""
    if not weighs_terms(model):
        raise ArgumentError(
            f"retriever.model is a {type(model).__name__}. Kind sparse takes a SparseEncoder of sentence-transformers, "
            "or a SparsEmbed."
        )
    has_vectors = has_vectors_of_terms(model)
    if candidates is not None and (not has_vectors or candidates < k):
        what = f"fewer than k={k}" if has_vectors else "for a SparsEmbed, which has vectors to rank them by"
        raise ArgumentError(f"retriever.candidates={candidates} is {what}. Leave it out, or write another.")
    encoded = _with_vectors if has_vectors else _weights
    asked, found = (
        encoded(model, list(of_side), side, batch_size)
        for of_side, side in ((questions, _QUERY), (texts, _DOCUMENT))
    )
    documents = np.arange(len(texts))
    if not has_vectors:
        return list(search(asked, SparseVectors(found, documents), k))
    first = search(asked.weights, SparseVectors(found.weights, documents), candidates or k)
    return list(reordered(first, asked, TermCorpus(found, documents), k) if candidates else first)


def _is(model: Any, module: str) -> bool:
    # Who has such a model has imported its module
    return module in sys.modules and isinstance(model, getattr(sys.modules[module], _CLASSES[module]))


def _weights(model: Any, texts: list[str], side: str, batch_size: int) -> csr_array:
    encode = getattr(model, f"encode_{side}")
    tensor = encode(texts, batch_size=batch_size, save_to_cpu=True, show_progress_bar=False).coalesce()
    rows, columns = tensor.indices().numpy()
    weights = csr_array((tensor.values().float().numpy(), (rows, columns)), shape=tuple(tensor.shape))
    weights.eliminate_zeros()
    weights.sort_indices()
    return _checked(weights)


def _with_vectors(model: Any, texts: list[str], side: str, batch_size: int) -> TermEmbeddings:
    from sentflow.sparse.encoding import term_embeddings

    joined: TermEmbeddings = TERM_FORM.joined(
        [
            term_embeddings(model, texts[start : start + batch_size], model.k[side], side)
            for start in range(0, len(texts), batch_size)
        ]
    )
    _checked(joined.weights)
    return joined


def _checked(weights: csr_array) -> csr_array:
    if not np.isfinite(weights.data).all() or (weights.data < 0).any():
        raise ArgumentError(
            "retriever.model gives weights of terms below 0, or that are not finite. Give a trained encoder whose "
            "weights are 0 or more."
        )
    return weights
