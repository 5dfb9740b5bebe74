"""Contrastive losses of vectors: the cross-entropy of SimCSE over a batch, and the NT-Xent of ConSERT.

Both are `MultipleNegativesRankingLoss` of sentence-transformers, which needs no model for vectors that are there.
"""

import torch
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from sentence_transformers.util import cos_sim


def in_batch_cross_entropy(
    anchors: torch.Tensor,
    positives: torch.Tensor,
    negatives: torch.Tensor | None = None,
    *,
    temperature: float,
    own_negative_weight: float = 0.0,
) -> torch.Tensor:
    """Cross-entropy of finding the positive of each anchor among those of all anchors; in one direction.

    `anchors`, `positives`, `negatives`: (n, d) float, row i of each belongs to the same example; with `negatives` there
    are 2n candidates per anchor. `temperature`: what cosines are divided by, > 0. `own_negative_weight`: added to the
    logit of the negative of the anchor's own example: its term in the sum is multiplied by e to this power. Returns a
    scalar, the mean over the n anchors; ln n for vectors that are all the same, ln 2n with negatives.

    Gao et al. 2021 (arXiv 2104.08821), equations 4 and 5; princeton-nlp/SimCSE@49fa580a, ``hard_negative_weight``.
    Anchors are no negatives of each other, so the loss is not symmetric.
    """
    candidates = [positives] if negatives is None else [positives, negatives]
    n = len(anchors)

    def cosines(queries: torch.Tensor, documents: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = cos_sim(queries, documents)
        if negatives is None or not own_negative_weight:
            return found
        # Multiplied by the scale together with the cosines, so the weight itself is added to the logit
        own = torch.eye(n, dtype=found.dtype, device=found.device) * own_negative_weight * temperature
        return found + torch.cat([torch.zeros_like(own), own], dim=1)

    loss = MultipleNegativesRankingLoss(model=None, scale=1 / temperature, similarity_fct=cosines)
    value: torch.Tensor = loss.compute_loss_from_embeddings([anchors, *candidates], None)
    return value


def nt_xent(first: torch.Tensor, second: torch.Tensor, *, temperature: float) -> torch.Tensor:
    """NT-Xent of two views, the sum of both directions; the other sentences of the same view are negatives, too.

    `first`, `second`: (n, d) float, row i of both is the same sentence. `temperature`: what cosines are divided by, >
    0. Returns a scalar, a mean over n for each view as anchor, added: twice the mean over 2n anchors of the paper. The
    order of the views does not matter; 2 ln(2n − 1) for vectors that are all the same.

    Yan et al. 2021 (arXiv 2105.11741), section 3; the sum is that of yym6472/ConSERT@03c9e8ff.
    """
    loss = MultipleNegativesRankingLoss(
        model=None, scale=1 / temperature, directions=("query_to_doc", "query_to_query")
    )
    both: torch.Tensor = loss.compute_loss_from_embeddings(
        [first, second], None
    ) + loss.compute_loss_from_embeddings([second, first], None)
    return both
