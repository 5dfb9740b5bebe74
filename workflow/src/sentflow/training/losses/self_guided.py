"""The contrastive losses of SG-BERT: sentence vectors against the layers of the network that they came from.

Kim et al. 2021 (arXiv 2106.07345); galsang/SG-BERT@23d5ebec, `loss.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

BASE, OPT1, OPT2, OPT3 = "base", "opt1", "opt2", "opt3"

_C, _H = 0, 1  # sentence vectors, vectors of layers

# Form → what its anchors are, and what they are compared with
_READS: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    BASE: ((_C, _H), (_C, _H)),
    OPT1: ((_C,), (_C, _H)),
    OPT2: ((_C,), (_H,)),
    OPT3: ((_C,), (_H,)),
}


@dataclass(frozen=True)
class Contrast:
    """Which candidate is what for which anchor."""

    # anchors, candidates: (a,) and (m,) int64: places in c and h joined
    anchors: torch.Tensor
    candidates: torch.Tensor
    # positive, negative: (a, m) bool; a candidate may be neither
    positive: torch.Tensor
    negative: torch.Tensor


def contrast(form: str, n: int, layers: int, *, further: int = 0, first_is_lost: bool = False) -> Contrast:
    """What each form of the loss compares.

    Parameters
    ----------
    form
        `BASE`, `OPT1`, `OPT2` or `OPT3`.
    n
        Sentences.
    layers
        Views of each sentence: 1, or all layers for `OPT3`.
    further
        Sentences that are negatives of all anchors, of as many layers.
    first_is_lost
        Leave out the first negative of each anchor, as the released code of opt2 does.

    Returns
    -------
    Contrast
        Over c, (n, d), and h, (n · layers, d) sentence by sentence, then the further ones. A positive is the other kind
        of vector of the same sentence, a negative any vector of another sentence. So per anchor of `OPT3` there are
        `layers` positives and (n − 1) · layers negatives; of `OPT2` 1 and n − 1; of `OPT1` 1 and 2 (n − 1); and `BASE`
        has 2 n anchors with 1 and 2 (n − 1).
    """
    sentences = torch.arange(n)
    others = torch.arange(n, n + further)
    owner = torch.cat([sentences, torch.cat([sentences, others]).repeat_interleave(layers)])
    kind = torch.cat([torch.full((n,), _C), torch.full((len(owner) - n,), _H)])
    of_anchors, of_candidates = _READS[form]
    anchors = torch.nonzero(torch.isin(kind, torch.tensor(of_anchors)) & (owner < n)).squeeze(1)
    candidates = torch.nonzero(torch.isin(kind, torch.tensor(of_candidates))).squeeze(1)
    same = owner[anchors, None] == owner[candidates]
    negative = ~same
    if first_is_lost:
        negative &= negative.cumsum(1) > 1
    return Contrast(anchors, candidates, same & (kind[anchors, None] != kind[candidates]), negative)


def self_guided(c: torch.Tensor, h: torch.Tensor, compared: Contrast, *, temperature: float) -> torch.Tensor:
    """Minus the log of how much of φ a positive has beside all negatives of its anchor.

    Parameters
    ----------
    c, h
        (n, d) and (m, d) float, see `contrast`.
    compared
        See `Contrast`.
    temperature
        τ of φ(u, v) = exp(cos(u, v) / τ), > 0. Logits are as large as 1 / τ, so sums of exponentials are taken in
        logarithms.

    Returns
    -------
    torch.Tensor
        A scalar, the mean over all pairs of an anchor and a positive of it. 0 without negatives.
    """
    vectors = torch.nn.functional.normalize(torch.cat([c, h]), dim=1)
    device = vectors.device
    found = vectors[compared.anchors.to(device)] @ vectors[compared.candidates.to(device)].T / temperature
    others = found.masked_fill(~compared.negative.to(device), -torch.inf).logsumexp(1, keepdim=True)
    return (torch.logaddexp(found, others) - found)[compared.positive.to(device)].mean()
