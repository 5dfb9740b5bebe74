"""SparseEmbed: texts to weights of terms, and a vector for each term that is kept.

Kong et al. 2023 (doi 10.1145/3539618.3592065); names of arguments and results are those of
raphaelsty/sparsembed@ef2a0693.
"""

import copy
from collections.abc import Sequence
from typing import Any

import torch

from sentflow.errors import ConfigError
from sentflow.sparse.activations import TopTerms, top_terms
from sentflow.sparse.checks import check_count, check_finite
from sentflow.sparse.folder_description import SHARED, TWO
from sentflow.sparse.term_vectors import attended
from sentflow.sparse.weigher import DOCUMENT, QUERY, SIDES, ReadTexts, TermWeigher
from sentflow.training.draws import Draws
from sentflow.training.new_weights import seeded

__all__ = ["DOCUMENT", "QUERY", "SHARED", "SIDES", "TWO", "SparsEmbed"]


class SparsEmbed(TermWeigher):
    """An encoder that gives a text a few terms of the vocabulary, each with a weight and a vector.

    Parameters
    ----------
    model, tokenizer, device, tied, max_tokens, chunk_size
        See `sentflow.sparse.weigher.TermWeigher`.
    k_query, k_documents
        Terms that are kept of a text where a call does not say; those of the paper.
    embedding_size
        E of the vectors; 16, 32 or 64 in the paper.
    heads
        ``"two"``: queries and documents have a head and a projection each, which begin alike (the paper).
        ``"shared"``: one of both for all texts (the replication).
    projection_bias
        Whether projections have a bias.
    seed
        Of the projection's weights.

    Raises
    ------
    ConfigError
        The model has no head for masked tokens, or it does not fit the tokenizer or the options.

    Notes
    -----
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
        with seeded(Draws(seed).of("projection")):
            projection = torch.nn.Linear(
                self.head(QUERY).decoder.in_features,
                check_count(embedding_size, "embedding_size"),
                bias=projection_bias,
            )
        self._embedding_size = embedding_size
        self.projections = torch.nn.ModuleDict(
            {QUERY: projection, DOCUMENT: copy.deepcopy(projection) if self.two_heads else projection}
        ).to(self.device)

    @property
    def embedding_size(self) -> int:
        """E, the width of a term's vector."""
        return self._embedding_size

    def forward(
        self, texts: Sequence[str], k: int | None = None, side: str | None = None
    ) -> dict[str, torch.Tensor]:
        """The k terms of each text, with gradients.

        Parameters
        ----------
        texts
            B texts, one batch. Each text gives the same with any others.
        k
            Terms that are kept at most; `k_query` or `k_documents` of the side without it.
        side
            ``"query"`` or ``"document"``; with shared heads it may be left out where k is given.

        Returns
        -------
        dict
            ``activations``: (B, k) int64 ids of terms, greatest weight first, −1 where a text has fewer.
            ``embeddings``: (B, k, E) >= 0, the vector of each of them, 0 where there is none.
            ``sparse_activations``: (B, V) >= 0, weights of all terms, 0 of those that were not kept.

        Raises
        ------
        ConfigError
            k or the side is missing or does not exist.
        DataError
            A text has no token, or a weight or a vector is not finite.
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
