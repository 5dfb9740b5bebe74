"""How many terms texts have before a training, and one constant added to the bias of a head to change that.

The head of a masked language model makes nearly every term active (26,800 of 30,522 on MiniLM), and no training starts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from sentflow.errors import ConfigError, DataError
from sentflow.sparse.weigher import TermWeigher, check_count, check_finite

PARALLEL = 0.99
"""Mean cosine of texts from which no training was seen to start: klue/roberta-large has .993, robbert-large 1.000, and
nDCG stays 0 (huggingface/sentence-transformers#3431)."""
TEXTS_AT_ONCE = 32


@dataclass(frozen=True)
class TermStatistics:
    """Active terms of n texts, before any is pruned; most, mean and deviation (n in the denominator) per text."""

    n_texts: int
    n_terms: int  # size of the vocabulary
    mean: float
    standard_deviation: float
    most: int
    cosine: float  # mean cosine of the weights of two different texts, in [0, 1]; a text without terms has 0 with all


def term_statistics(batches: Iterable[torch.Tensor]) -> TermStatistics:
    """Statistics of (b, V) weights >= 0, batch by batch. DataError: fewer than two rows, or a weight is not finite."""
    counts: list[int] = []
    total = torch.zeros(0)
    n_unit = 0
    for weights in batches:
        check_finite(weights, "weights of terms")
        counts += (weights > 0).sum(dim=1).tolist()
        units = torch.nn.functional.normalize(weights.double(), dim=1).sum(dim=0)
        total = units if not len(total) else total + units
        n_unit += int((weights > 0).any(dim=1).sum())
    n = len(counts)
    if n < 2:
        raise DataError(f"{n} texts say nothing of how much texts differ. Give at least 2 different ones.")
    numbers = torch.tensor(counts, dtype=torch.float64)
    # Σ_{a≠b} u_a · u_b = |Σ u|² − Σ |u|²; units of texts without terms are 0
    cosine = (float(total.square().sum()) - n_unit) / (n * (n - 1))
    return TermStatistics(
        n_texts=n,
        n_terms=len(total),
        mean=float(numbers.mean()),
        standard_deviation=float(numbers.std(correction=0)),
        most=max(counts),
        cosine=min(max(cosine, 0.0), 1.0),
    )


def starting_statistics(
    model: TermWeigher, texts: Sequence[str], *, side: str | None = None, batch_size: int = TEXTS_AT_ONCE
) -> TermStatistics:
    """Statistics of what a model makes of texts, each different text once; weights are not pruned."""
    return term_statistics(
        torch.log1p(torch.relu(logits))
        for logits in logits_of(model, texts, side=side, batch_size=batch_size)
    )


def check_start(
    model: TermWeigher, texts: Sequence[str], *, side: str | None = None, batch_size: int = TEXTS_AT_ONCE
) -> TermStatistics:
    """Refuse a model that a training cannot start from; calibrate it first (`calibrate`).

    `texts`: at least 2 different ones, of the kind that is trained on; some hundred are enough. `side`: see
    `SparsEmbed.forward`. Raises ConfigError: no text has a term, or all have nearly the same (`PARALLEL`). Raises
    DataError: too few texts, or logits are not finite.
    """
    found = starting_statistics(model, texts, side=side, batch_size=batch_size)
    if not found.most:
        raise ConfigError(
            f"none of {found.n_texts} texts has an active term, so no gradient would reach the model. Calibrate it "
            "(sentflow.sparse.calibration)."
        )
    if found.cosine >= PARALLEL:
        raise ConfigError(
            f"the weights of {found.n_texts} texts are nearly parallel (mean cosine {found.cosine:.4f}, from "
            f"{PARALLEL} on no training starts), with {found.mean:.0f} of {found.n_terms} terms active. Calibrate the "
            "model (sentflow.sparse.calibration); if that changes nothing, start from another one: heads of "
            "some RoBERTa models are like this, those of BERT and DistilBERT are not."
        )
    return found


def logits_of(
    model: TermWeigher, texts: Sequence[str], *, side: str | None, batch_size: int
) -> Iterator[torch.Tensor]:
    """(b, V) greatest logits of different texts in batches, on the processor. DataError: a logit is not finite."""
    different = list(dict.fromkeys(texts))
    for start in range(0, len(different), check_count(batch_size, "batch_size")):
        logits = model.greatest_logits(different[start : start + batch_size], side)
        check_finite(logits, "logits of terms")
        yield logits.cpu()


@dataclass(frozen=True)
class Calibration:
    """What was added to the bias of every term, and the mean number of active terms per text before and after."""

    shift: float
    before: float
    after: float


def shift_for(greatest: torch.Tensor, n_active: float, *, tolerance: float) -> Calibration:
    """The constant that makes `n_active` terms, in (0, V), active on average, of (N, V) greatest logits.

    It lies in the middle between the last logit that is to be active and the next, as far from both as can be, so that
    rounding changes no term. `tolerance`: largest difference to `n_active`, as a share of it. Raises ConfigError: the
    number is out of range, or no constant comes near enough, because logits of many terms are equal.
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

    `model`: not trained yet. `texts`: real ones of the side, some hundred; equal ones count once, and 4 · V bytes are
    held for each. `n_active`: e.g. 200 of documents and 30 of queries. `side`: whose head; with two heads, calibrate
    both. Raises ConfigError: see `shift_for`. Raises DataError: a logit is not finite, or a text has no token.
    """
    greatest = torch.cat(list(logits_of(model, texts, side=side, batch_size=batch_size)))
    found = shift_for(greatest, n_active, tolerance=tolerance)
    with torch.no_grad():
        model.head(side).decoder.bias.add_(found.shift)
    return found
