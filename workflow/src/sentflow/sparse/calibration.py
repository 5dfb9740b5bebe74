"""One constant that is added to the bias of a head, so that a text has as many terms as a training can start from.

The head of a masked language model makes nearly every term active: 26,800 of 30,522 with a head on MiniLM, where dot
products are in the thousands and no training starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from sentflow.errors import ConfigError
from sentflow.sparse.model import SparsEmbed
from sentflow.sparse.statistics import TEXTS_AT_ONCE, logits_of

_MOST_STEPS = 200  # halvings of float64 end after fewer


@dataclass(frozen=True)
class Calibration:
    """What a calibration did.

    Attributes
    ----------
    shift
        Was added to the bias of every term.
    before, after
        Mean number of active terms per text.
    """

    shift: float
    before: float
    after: float


def shift_for(greatest: torch.Tensor, n_active: float, *, tolerance: float) -> Calibration:
    """The constant that makes a number of terms active on average, by bisection.

    Parameters
    ----------
    greatest
        (N, V) greatest logit of each term in each text.
    n_active
        In (0, V).
    tolerance
        Largest difference to `n_active`, as a share of it.

    Returns
    -------
    Calibration
        With ``shift``: (greatest + shift > 0) has `n_active` terms per text, as near as the logits allow.

    Raises
    ------
    ConfigError
        The number is out of range, or no constant comes near enough, because logits of many terms are equal.
    """
    n_texts, n_terms = greatest.shape
    if not 0 < n_active < n_terms:
        raise ConfigError(
            f"n_active is {n_active}. Write a number above 0 and below the {n_terms} terms of the model."
        )

    def active(shift: float) -> float:
        # In float32, as the decoder adds its bias
        return float((greatest + torch.tensor(shift, dtype=greatest.dtype) > 0).sum()) / n_texts

    spread = float(greatest.abs().max()) + 1.0
    low, high = -spread, spread  # no term, every term
    for _ in range(_MOST_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if active(middle) < n_active else (low, middle)
    shift = min((low, high), key=lambda each: abs(active(each) - n_active))
    after = active(shift)
    if abs(after - n_active) > tolerance * n_active:
        raise ConfigError(
            f"n_active is {n_active}, and a constant gives {active(low):.1f} or {active(high):.1f} terms, nothing "
            "between: too many logits are equal. Give more texts, or start from another model."
        )
    return Calibration(shift=shift, before=active(0.0), after=after)


def calibrate(
    model: SparsEmbed,
    texts: Sequence[str],
    n_active: float,
    *,
    side: str | None = None,
    batch_size: int = TEXTS_AT_ONCE,
    tolerance: float = 0.05,
) -> Calibration:
    """Shift the bias of a head in place, so that texts have `n_active` terms on average before pruning.

    Parameters
    ----------
    model
        Not trained yet.
    texts
        Real ones of the side, some hundred; equal ones count once. 4 · V bytes are held for each.
    n_active
        Terms per text, e.g. 200 of documents and 30 of queries.
    side
        Whose head; with two heads, calibrate both.
    batch_size
        Texts that are read at once.
    tolerance
        See `shift_for`.

    Raises
    ------
    ConfigError
        See `shift_for`.
    DataError
        A logit is not finite, or a text has no token.
    """
    greatest = torch.cat(list(logits_of(model, texts, side=side, batch_size=batch_size)))
    found = shift_for(greatest, n_active, tolerance=tolerance)
    with torch.no_grad():
        model.head(side).decoder.bias.add_(found.shift)
    return found
