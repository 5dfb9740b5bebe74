"""Losses under the names of raphaelsty/sparsembed@ef2a0693, for loops that were written for it."""

import torch
from torch.nn.functional import cosine_similarity

from sentflow.sparse.ranking_losses import flops


class Cosine:
    """Squared errors of scores, or of cosines of weights, to labels."""

    def dense(
        self, scores: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Mean of (score − label)², a scalar.

        `scores`: (B,), of `sentflow.sparse.utils.scores`. `labels`: (B,), 1 for a relevant document and 0 for another
        one. `weights`: (B,) that errors are multiplied by; 1 without them.

        It is no cosine, and not the loss of the paper; see `sentflow.sparse.ranking_losses.SparseEmbedLoss`.
        """
        errors = (scores - labels.to(scores)).square()
        return (errors if weights is None else errors * weights.to(errors)).mean()

    def sparse(
        self,
        queries_sparse_activations: torch.Tensor,
        documents_sparse_activations: torch.Tensor,
        labels: torch.Tensor,
        weights: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """The same of the cosine of (B, V) weights of queries and documents; 0 for a text without terms."""
        return self.dense(
            cosine_similarity(queries_sparse_activations, documents_sparse_activations, dim=1),
            labels,
            weights,
        )


class Flops:
    """`sentflow.sparse.ranking_losses.flops` of the weights of one side."""

    def __call__(self, sparse_activations: torch.Tensor) -> torch.Tensor:
        """A scalar of (B, V) weights."""
        return flops(sparse_activations)
