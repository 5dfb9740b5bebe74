"""The terms of texts: as three tensors, one place per term that is kept, and in compressed rows."""

from collections.abc import Sequence

import numpy as np
import torch
from scipy.sparse import csr_array

from sentflow.encoders.vectors.terms import TermEmbeddings
from sentflow.sparse.model import SparsEmbed
from sentflow.sparse.weigher import NO_TERM

Encoded = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def encoded_terms(model: SparsEmbed, texts: Sequence[str], k: int, side: str) -> Encoded:
    """(b, k) ids and weights, and (b, k, E) vectors of the terms of b texts; see `SparsEmbed.encode`."""
    found = model.encode(texts, k, side)
    ids = found["activations"]
    weights = found["sparse_activations"].gather(1, ids.clamp(min=0)).masked_fill(ids < 0, 0.0)
    return ids, weights, found["embeddings"]


def term_embeddings(model: SparsEmbed, texts: Sequence[str], k: int, side: str) -> TermEmbeddings:
    """The terms of n texts, encoded as one batch, in compressed rows; those of texts without a token are empty.

    A collection may hold such texts, which `SparsEmbed.encode` refuses.
    """
    kept = np.setdiff1d(np.arange(len(texts)), model.without_tokens(texts))
    shape = len(texts), model.n_terms
    if not len(kept):
        nothing = np.empty((0, model.embedding_size), dtype=np.float16)
        return TermEmbeddings(csr_array(shape, dtype=np.float32), nothing)
    return in_rows(encoded_terms(model, [texts[row] for row in kept], k, side), kept, shape)


def in_rows(
    found: Encoded, kept: np.ndarray, shape: tuple[int, int], dtype: torch.dtype = torch.float16
) -> TermEmbeddings:
    """Columns ascend within a row; rows that are not among (b,) kept ones are empty. The dtype is that of vectors."""
    ids = found[0].cpu().numpy()
    active = ids != NO_TERM
    rows, columns = np.repeat(kept, active.sum(axis=1)), ids[active]
    order = np.lexsort((columns, rows))
    weights, vectors = (
        one.to("cpu", kind).numpy()[active][order]
        for one, kind in zip(found[1:], (torch.float32, dtype), strict=True)
    )
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return TermEmbeddings(csr_array((weights, columns[order].astype(np.int32), ends), shape=shape), vectors)
