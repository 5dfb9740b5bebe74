"""SparseEmbed: texts to weights of terms, and a vector for each term that is kept.

Kong et al. 2023 (doi 10.1145/3539618.3592065); names of arguments and results are those of
raphaelsty/sparsembed@ef2a0693.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch.utils.checkpoint import checkpoint

from sentflow.encoders.vectors.sparse import TermEmbeddings
from sentflow.errors import ConfigError
from sentflow.sparse.folder_description import SHARED, TWO
from sentflow.sparse.weigher import (
    DOCUMENT,
    NO_TERM,
    QUERY,
    SIDES,
    ReadTexts,
    TermWeigher,
    TopTerms,
    check_count,
    check_finite,
    top_terms,
)
from sentflow.training.draws import Draws

_MOST_CELLS = 1 << 25
"""Products that a block of `all_scores` holds: 128 MiB in float32."""


@dataclass(frozen=True)
class TermVectors:
    """The active terms of texts with a vector each.

    `ids`: (…, k) whole numbers, each once per text; `NO_TERM` where there is no further term. `embeddings`: (…, k, E).
    """

    ids: torch.Tensor
    embeddings: torch.Tensor

    def __post_init__(self) -> None:
        if self.ids.shape != self.embeddings.shape[:-1]:
            raise ValueError(f"{tuple(self.ids.shape)} ids have embeddings of {tuple(self.embeddings.shape)}")


def attended(term_logits: torch.Tensor, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """c_j = Σ_i a_ij H_i, (B, k, h), where a_·j is the softmax over positions of the raw logits of term j.

    `term_logits`: (B, n, k), of the kept terms. `tokens`: (B, n, h), the last layer of the encoder. `mask`: (B, n),
    other than 0 where a position is real; at least one in each row. Logits of padding are −∞: e⁰ = 1 would still count.
    """
    padding = ~mask.to(device=term_logits.device, dtype=torch.bool)
    # Filled with 0 as well, for 0 times NaN would be NaN
    attention = term_logits.masked_fill(padding[:, :, None], -torch.inf).softmax(dim=1)
    return attention.transpose(1, 2) @ tokens.masked_fill(padding[:, :, None], 0.0)


def pair_scores(queries: TermVectors, documents: TermVectors) -> torch.Tensor:
    """(B,), at least float32: s = Σ_j e^q_j · e^d_j over the terms j that both texts of a pair have.

    Row i of both is a pair; one that shares no term has 0, with a gradient of 0.
    """
    return _shared_sum("bie,bje->bij", queries.ids[:, :, None], documents.ids[:, None, :], queries, documents)


def all_scores(queries: TermVectors, documents: TermVectors) -> torch.Tensor:
    """The same of every query with every document, (Q, D), in blocks that are computed again for the gradient."""
    size = max(1, _MOST_CELLS // max(1, queries.ids.numel() * documents.ids.shape[1]))
    parts = list(map(TermVectors, torch.split(documents.ids, size), torch.split(documents.embeddings, size)))
    if len(parts) == 1:
        return _every_with_every(queries, documents)
    found = [checkpoint(_every_with_every, queries, part, use_reentrant=False) for part in parts]
    return torch.cat(found, dim=1)


def _every_with_every(queries: TermVectors, documents: TermVectors) -> torch.Tensor:
    ids = queries.ids[:, None, :, None], documents.ids[None, :, None, :]
    return _shared_sum("qie,dje->qdij", *ids, queries, documents)


def n_shared(queries: TermVectors, documents: TermVectors) -> torch.Tensor:
    """(B,) int64: how many terms both texts of a pair have."""
    return _shared(queries.ids[:, :, None], documents.ids[:, None, :]).sum(dim=(-2, -1))


def _shared(query_ids: torch.Tensor, document_ids: torch.Tensor) -> torch.Tensor:
    return (query_ids == document_ids) & (query_ids != NO_TERM)


def _shared_sum(
    products: str,
    query_ids: torch.Tensor,
    document_ids: torch.Tensor,
    queries: TermVectors,
    documents: TermVectors,
) -> torch.Tensor:
    dtype = torch.promote_types(
        torch.promote_types(queries.embeddings.dtype, documents.embeddings.dtype), torch.float32
    )
    # Half precision is raised before it is multiplied: rounding would make ties
    found = torch.einsum(products, queries.embeddings.to(dtype), documents.embeddings.to(dtype))
    return found.masked_fill(~_shared(query_ids, document_ids), 0.0).sum(dim=(-2, -1))


__all__ = ["DOCUMENT", "QUERY", "SHARED", "SIDES", "TWO", "SparsEmbed"]


class SparsEmbed(TermWeigher):
    """An encoder that gives a text a few terms of the vocabulary, each with a weight and a vector.

    `model`, `tokenizer`, `device`, `tied`, `max_tokens`, `chunk_size`: see `TermWeigher`. `k_query`, `k_documents`:
    terms that are kept of a text where a call does not say. `embedding_size`: E of the vectors; 16, 32 or 64 in the
    paper. `heads`: ``"two"``: queries and documents have a head and a projection each, which begin alike (the paper);
    ``"shared"``: one of both for all texts (the replication). `seed`: of the projection's weights. Raises ConfigError:
    the model has no head for masked tokens, or it does not fit the tokenizer or the options.

    transformers loads models without dropout; `train()` turns it on.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        device: str | torch.device | None = None,
        *,
        k_query: int = 64,
        k_documents: int = 256,
        embedding_size: int = 64,
        heads: str = SHARED,
        tied: bool = True,
        projection_bias: bool = True,
        max_tokens: int | None = None,
        chunk_size: int | None = 64,
        seed: int = 0,
    ) -> None:
        super().__init__(
            model,
            tokenizer,
            device,
            heads=heads,
            tied=tied,
            max_tokens=max_tokens,
            chunk_size=chunk_size,
        )
        self.k = {
            QUERY: check_count(k_query, "k_query"),
            DOCUMENT: check_count(k_documents, "k_documents"),
        }
        with Draws(seed).of("projection").seeded():
            projection = torch.nn.Linear(
                self.head(QUERY).decoder.in_features,
                check_count(embedding_size, "embedding_size"),
                bias=projection_bias,
            )
        self.embedding_size = embedding_size
        self.projections = torch.nn.ModuleDict(
            {QUERY: projection, DOCUMENT: copy.deepcopy(projection) if self.two_heads else projection}
        ).to(self.device)

    def forward(
        self, texts: Sequence[str], k: int | None = None, side: str | None = None
    ) -> dict[str, torch.Tensor]:
        """The k terms of each text, with gradients; a text gives the same with any others.

        `k`: terms that are kept at most; `k_query` or `k_documents` of the side without it. `side`: ``"query"`` or
        ``"document"``; with shared heads it may be left out where k is given. Returns ``activations``: (B, k) int64 ids
        of terms, greatest weight first, −1 where a text has fewer. ``embeddings``: (B, k, E) >= 0, the vector of each,
        0 where there is none. ``sparse_activations``: (B, V) >= 0, weights of all terms, 0 of those that were not kept.
        Raises ConfigError: k or the side is missing or does not exist. Raises DataError: a text has no token, or a
        value is not finite.
        """
        k = self._k(k, side)
        read = self.read(self.features(texts), side)
        weights = self.weights(read, side)
        check_finite(weights, "weights of terms")
        top = top_terms(weights, k)
        embeddings = self.vectors(read, top, side)
        check_finite(embeddings, "vectors of terms")
        return {
            "activations": top.ids,
            "embeddings": embeddings,
            "sparse_activations": top.dense(self.n_terms),
        }

    def encode(
        self, texts: Sequence[str], k: int | None = None, side: str | None = None
    ) -> dict[str, torch.Tensor]:
        """`forward` without gradients and without dropout."""
        with self.still():
            found: dict[str, torch.Tensor] = self(texts, k, side)
            return found

    def vectors(self, read: ReadTexts, top: TopTerms, side: str | None = None) -> torch.Tensor:
        """(B, k, E) >= 0, the vector of each term that is kept of a text, 0 where there is none."""
        logits = self.head(side).term_logits(read.transformed, top.ids.clamp(min=0))
        projection = self.projections[self.known_side(side)]
        found = torch.relu(projection(attended(logits, read.tokens, read.mask)))
        return found.masked_fill(~top.active[:, :, None], 0.0)

    def _k(self, k: int | None, side: str | None) -> int:
        if k is not None:
            return check_count(k, "k")
        if side not in SIDES:
            raise ConfigError("neither k nor side is given. Write k=…, or side='query' or side='document'.")
        return self.k[side]


# --- the terms of texts as three tensors, one place per term that is kept, and in compressed rows ------------

Encoded = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def encoded_terms(model: SparsEmbed, texts: Sequence[str], k: int, side: str) -> Encoded:
    """(b, k) ids and weights, and (b, k, E) vectors of the terms of b texts; see `SparsEmbed.encode`."""
    found = model.encode(texts, k, side)
    ids = found["activations"]
    weights = found["sparse_activations"].gather(1, ids.clamp(min=0)).masked_fill(ids < 0, 0.0)
    return ids, weights, found["embeddings"]


def term_embeddings(model: SparsEmbed, texts: Sequence[str], k: int, side: str) -> TermEmbeddings:
    """The terms of n texts, as one batch; those of texts without a token, which a collection may have, are empty."""
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
