"""One vector per active term of a text, and the score of two texts by the terms that both have.

Kong et al. 2023 (SparseEmbed, doi 10.1145/3539618.3592065), section 3.
"""

from dataclasses import dataclass

import torch
from torch.utils.checkpoint import checkpoint

from sentflow.sparse.activations import NO_TERM

_MOST_CELLS = 1 << 25
"""Products that a block of `all_scores` holds: 128 MiB in float32."""


@dataclass(frozen=True)
class TermVectors:
    """The active terms of texts with a vector each.

    Attributes
    ----------
    ids
        (…, k) whole numbers, each once per text; `NO_TERM` where there is no further term.
    embeddings
        (…, k, E) float. What stands where there is no term counts nowhere.
    """

    ids: torch.Tensor
    embeddings: torch.Tensor

    def __post_init__(self) -> None:
        if self.ids.shape != self.embeddings.shape[:-1]:
            raise ValueError(f"{tuple(self.ids.shape)} ids have embeddings of {tuple(self.embeddings.shape)}")


def attended(term_logits: torch.Tensor, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """c_j = Σ_i a_ij H_i, where a_·j is the softmax over positions of the raw logits of term j.

    Parameters
    ----------
    term_logits
        (B, n, k), of the kept terms.
    tokens
        (B, n, h), the last layer of the encoder.
    mask
        (B, n), other than 0 where a position is real; at least one in each row.

    Returns
    -------
    torch.Tensor
        (B, k, h). Padding has attention 0: its logits are −∞, since a logit of 0 would still count as e⁰ = 1.
    """
    padding = ~mask.to(device=term_logits.device, dtype=torch.bool)
    # Filled with 0 as well, for 0 times NaN would be NaN
    attention = term_logits.masked_fill(padding[:, :, None], -torch.inf).softmax(dim=1)
    return attention.transpose(1, 2) @ tokens.masked_fill(padding[:, :, None], 0.0)


def pair_scores(queries: TermVectors, documents: TermVectors) -> torch.Tensor:
    """s = Σ_j e^q_j · e^d_j over the terms j that both texts of a pair have.

    Parameters
    ----------
    queries, documents
        (B, k_q) and (B, k_d) terms; row i of both is a pair.

    Returns
    -------
    torch.Tensor
        (B,), at least float32; 0, with a gradient of 0, for a pair that shares no term.
    """
    return _shared_sum("bie,bje->bij", queries.ids[:, :, None], documents.ids[:, None, :], queries, documents)


def all_scores(queries: TermVectors, documents: TermVectors) -> torch.Tensor:
    """The same of every query with every document, (Q, D), in blocks of documents.

    A block holds Q · d · k_q · k_d numbers; of several blocks, those are computed again for the gradient.
    """
    size = max(1, _MOST_CELLS // max(1, queries.ids.numel() * documents.ids.shape[1]))
    parts = [
        TermVectors(ids, embeddings)
        for ids, embeddings in zip(
            torch.split(documents.ids, size), torch.split(documents.embeddings, size), strict=True
        )
    ]
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
