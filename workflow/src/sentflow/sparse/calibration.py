"""One constant that is added to the bias of a head, so that a text has as many terms as a training can start from.

The head of a masked language model makes nearly every term active: 26,800 of 30,522 with a head on MiniLM, where dot
products are in the thousands and no training starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from sentflow.errors import ConfigError
from sentflow.sparse.statistics import TEXTS_AT_ONCE, logits_of
from sentflow.sparse.weigher import TermWeigher


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
    """The constant that makes a number of terms active on average.

    Logits are ordered, and the constant is put in the middle between the last one that is to be active and the next,
    as far from both as can be: rounding, or other texts in the batch, then change no term.

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
    logits = greatest.flatten().double()
    wanted = n_active * n_texts
    edge = logits.kthvalue(len(logits) - max(1, round(wanted)) + 1).values
    # Equal logits are active together: those above the edge, or those at the edge as well
    without, within = logits > edge, logits >= edge
    active = min(without, within, key=lambda chosen: abs(float(chosen.sum()) - wanted))
    after = float(active.sum()) / n_texts
    if abs(after - n_active) > tolerance * n_active:
        raise ConfigError(
            f"n_active is {n_active}, and a constant gives {float(without.sum()) / n_texts:.2f} or "
            f"{float(within.sum()) / n_texts:.2f} terms, nothing between: too many logits are equal, or the texts are "
            "too few. Give more texts, or start from another model."
        )
    last = float(logits[active].min())
    following = float(logits[~active].max()) if not active.all() else last - 1
    before = float((logits > 0).sum()) / n_texts
    return Calibration(shift=-(last + following) / 2, before=before, after=after)


def calibrate(
    model: TermWeigher,
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
