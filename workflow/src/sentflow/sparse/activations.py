"""Weights of terms out of the logits of a masked language model, and the terms that are kept of them.

Formal et al. 2021 (arXiv 2107.05720 for the sum over positions, arXiv 2109.10086 for the maximum). The terms of a text
are the tokens of the vocabulary.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.utils.checkpoint import checkpoint

from sentflow.errors import ConfigError, instead
from sentflow.sparse.checks import check_count

MAX, SUM = "max", "sum"
POOLINGS = (MAX, SUM)
NO_TERM = -1
"""In the place of an id where fewer terms are active than there are places."""


def splade_weights(
    logits: torch.Tensor, mask: torch.Tensor, *, pooling: str = MAX, chunk_size: int | None = None
) -> torch.Tensor:
    """w_j = max_i, or sum_i, of log(1 + ReLU(M_ij)) over the real positions i of a text.

    Parameters
    ----------
    logits
        (B, n, V) float. What stands in padding is never read, NaN included.
    mask
        (B, n), other than 0 where a position is real.
    pooling
        ``"max"`` (SPLADE v2, SparseEmbed) or ``"sum"`` (SPLADE v1).
    chunk_size
        Positions that are pooled at once; all without it. It may change the last bits of sums, and none of maxima.

    Returns
    -------
    torch.Tensor
        (B, V), >= 0; 0 where no logit is positive. At least float32. NaN where a real position has one.

    Raises
    ------
    ConfigError
        There is no such pooling, or the chunk is smaller than 1.
    ValueError
        The shapes do not fit.
    """
    if logits.ndim != 3 or logits.shape[:2] != mask.shape:
        raise ValueError(
            f"logits are {tuple(logits.shape)} and the mask {tuple(mask.shape)}, not (B, n, V) and (B, n)"
        )
    return pooled_weights(lambda chunk: chunk, logits, mask, pooling=pooling, chunk_size=chunk_size)


def pooled_weights(
    predict: Callable[[torch.Tensor], torch.Tensor],
    tokens: torch.Tensor,
    mask: torch.Tensor,
    *,
    pooling: str = MAX,
    chunk_size: int | None = None,
) -> torch.Tensor:
    """The same without ever holding the logits of all positions.

    Parameters
    ----------
    predict
        From vectors of tokens, (B, c, h), to logits, (B, c, V); without dropout.
    tokens
        (B, n, h).
    mask, pooling, chunk_size
        See `splade_weights`.

    Notes
    -----
    Logits of B · `chunk_size` · V are held at once. In training they are computed again for the gradient.
    """
    if pooling not in POOLINGS:
        raise ConfigError(f"pooling is {pooling!r}. {instead(str(pooling), POOLINGS)}")
    if pooling == MAX:
        # The logarithm rises, so the greatest weight is that of the greatest logit
        return torch.log1p(torch.relu(greatest_logits(predict, tokens, mask, chunk_size=chunk_size)))

    def added(before: torch.Tensor, chunk: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        # Padding is filled before the logarithm: a gradient of 0 times NaN would be NaN
        logits = _at_least_float32(predict(chunk)).masked_fill(~real, 0.0)
        return before + torch.log1p(torch.relu(logits)).sum(dim=1)

    return _over_positions(added, tokens, mask, start=0.0, predict=predict, chunk_size=chunk_size)


def greatest_logits(
    predict: Callable[[torch.Tensor], torch.Tensor],
    tokens: torch.Tensor,
    mask: torch.Tensor,
    *,
    chunk_size: int | None = None,
) -> torch.Tensor:
    """max_i M_ij over the real positions, (B, V); −∞ for a text without any. Arguments as of `pooled_weights`."""

    def greatest(before: torch.Tensor, chunk: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        found = _at_least_float32(predict(chunk)).masked_fill(~real, -torch.inf).max(dim=1).values
        # Of equal logits one position has the gradient, in chunks of any size; `maximum` would share it out
        return torch.where((found > before) | found.isnan(), found, before)

    return _over_positions(greatest, tokens, mask, start=-torch.inf, predict=predict, chunk_size=chunk_size)


def _over_positions(
    step: Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor],
    tokens: torch.Tensor,
    mask: torch.Tensor,
    *,
    start: float,
    predict: Callable[[torch.Tensor], torch.Tensor],
    chunk_size: int | None,
) -> torch.Tensor:
    n_positions = tokens.shape[1]
    size = n_positions if chunk_size is None else check_count(chunk_size, "chunk_size")
    with torch.no_grad():
        n_terms = predict(tokens[:, :0]).shape[-1]
    dtype = torch.promote_types(tokens.dtype, torch.float32)
    found = torch.full((len(tokens), n_terms), start, dtype=dtype, device=tokens.device)
    real = mask.to(device=tokens.device, dtype=torch.bool)[:, :, None]
    again = torch.is_grad_enabled() and size < n_positions
    for place in range(0, n_positions, size):
        chunk = found, tokens[:, place : place + size], real[:, place : place + size]
        found = checkpoint(step, *chunk, use_reentrant=False) if again else step(*chunk)
    return found


def _at_least_float32(values: torch.Tensor) -> torch.Tensor:
    return values.to(torch.promote_types(values.dtype, torch.float32))


@dataclass(frozen=True)
class TopTerms:
    """The terms that are kept of each text, those of greatest weight first; equal weights by id."""

    ids: torch.Tensor  # (B, k) int64, `NO_TERM` where fewer than k terms have a weight
    weights: torch.Tensor  # (B, k), > 0, and 0 where there is no term. Gradients reach the kept terms alone.

    @property
    def active(self) -> torch.Tensor:
        """(B, k) bool: where there is a term."""
        return self.ids != NO_TERM

    def dense(self, n_terms: int) -> torch.Tensor:
        """(B, `n_terms`) weights of all terms, 0 of those that were not kept; with the gradients of `weights`."""
        empty = torch.zeros(len(self.ids), n_terms, dtype=self.weights.dtype, device=self.weights.device)
        # Places without a term add 0 to the first one
        return empty.scatter_add(1, self.ids.clamp(min=0), self.weights)


def top_terms(weights: torch.Tensor, k: int) -> TopTerms:
    """The k terms of greatest weight of each text, fewer where fewer are above 0; for training and search alike.

    Parameters
    ----------
    weights
        (B, V), >= 0 and finite.
    k
        At least 1; at most V are kept.

    Raises
    ------
    ConfigError
        k is no whole number of at least 1.
    """
    n_kept = min(check_count(k, "k"), weights.shape[1])
    # Sorted stably, for torch.topk promises no order of equal weights
    order = weights.detach().sort(dim=1, descending=True, stable=True).indices[:, :n_kept]
    kept = weights.gather(1, order)
    inactive = kept.detach() <= 0
    return TopTerms(order.masked_fill(inactive, NO_TERM), kept.masked_fill(inactive, 0.0))


def pruned(weights: torch.Tensor, k: int) -> torch.Tensor:
    """(B, V) weights with all but the k greatest of each text set to 0; see `top_terms`."""
    return top_terms(weights, k).dense(weights.shape[1])
