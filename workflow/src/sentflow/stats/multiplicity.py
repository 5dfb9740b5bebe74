"""Many tests at once: adjusted p-values, and the randomisation test of several pairs of systems."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

_CELLS_AT_ONCE = 2_000_000  # signs of one block: 16 MB
_ROUNDING = 1e-12  # of the sum of absolute differences; sums that are closer than this count as equal


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given: all at most α together are wrong with a probability of at most α.

    `p_values`: of one family. NaN, an undefined test, stays NaN and counts as one of the family.

    Of the sorted p₁ ≤ … ≤ p_M the i-th becomes the largest of min(1, (M − l + 1) · p_l) for l ≤ i. Holm 1979.
    """
    order = sorted(
        (index for index, p in enumerate(p_values) if not math.isnan(p)), key=lambda index: p_values[index]
    )
    adjusted = [math.nan] * len(p_values)
    largest = 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given: of all at most α together, a share of at most α is wrong on average.

    `p_values`: of one family. NaN, an undefined test, stays NaN and counts as one of the family.

    Of the sorted p₁ ≤ … ≤ p_M the i-th becomes the least of M p_l / l for l ≥ i. For tests that are independent or
    positively dependent. Benjamini and Hochberg 1995.
    """
    known = np.array(p_values, dtype=np.float64)
    filled = np.where(np.isnan(known), 1.0, known)
    order = np.argsort(filled)
    scaled = filled[order] * len(known) / np.arange(1, len(known) + 1)
    adjusted = np.empty(len(known))
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted[np.isnan(known)] = math.nan
    found: list[float] = adjusted.tolist()
    return found


ADJUSTMENTS = {"holm": holm, "benjamini-hochberg": benjamini_hochberg}


def sign_flip_p_values(differences: np.ndarray, *, n_resamples: int, seed: int) -> np.ndarray:
    """Two-sided p of several pairs of systems on the same units.

    `differences`: (P, n) float64 of P pairs on n units, say questions. What is flipped as one, such as the questions of
    a cluster, is one column: their sum. `n_resamples`: B. Where all sign vectors of the differences that are not 0 are
    no more than B, they are all looked at. `seed`: of the drawn signs, which are the same for all pairs. Returns (P,)
    float64 in (0, 1]; 1 where all differences are 0.

    With independent signs ε = ±1 of probability 1/2: p = (1 + #{|Σ ε d| ≥ |Σ d|}) / (B + 1) of B draws, or the share of
    all 2ᵏ sign vectors of the k differences that are not 0, which needs no 1, for it holds the observed one. Fisher
    1935; the added 1 makes a test with drawn signs hold its level (Phipson and Smyth 2010). The null hypothesis is that
    differences are distributed symmetrically around 0.
    """
    different = (differences != 0).sum(axis=1)
    exact = different < n_resamples.bit_length()  # 2ᵏ <= B
    p = np.empty(len(differences))
    for pair in np.flatnonzero(exact):
        own = differences[pair, differences[pair] != 0][:, None]
        p[pair] = _reached(all_signs(len(own)), own)[0] / 2.0 ** len(own)
    if not exact.all():
        columns = np.ascontiguousarray(differences[~exact].T)
        drawn = drawn_signs(len(columns), n_resamples, seed)
        p[~exact] = (1 + sum(_reached(signs, columns) for signs in drawn)) / (n_resamples + 1)
    return p


def least_sign_flip_p(n: int) -> float:
    """The least p that n differences can have, 2 / 2ⁿ: all signs equal, or all flipped; 1 without differences."""
    return min(1.0, 2.0 ** (1 - n))


def _reached(signs: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(P,) how many of the (B, n) sign vectors give (n, P) columns an absolute sum at least as large as theirs."""
    least = np.abs(columns.sum(axis=0)) - _ROUNDING * np.abs(columns).sum(axis=0)
    return np.asarray((np.abs(signs @ columns) >= least).sum(axis=0))


def all_signs(n: int) -> np.ndarray:
    """(2ⁿ, n) of −1 and 1."""
    return ((np.arange(2**n)[:, None] >> np.arange(n)) & 1) * 2.0 - 1


def drawn_signs(n: int, n_resamples: int, seed: int, at_once: int = 0) -> Iterator[np.ndarray]:
    """Blocks of (`at_once`, n) of −1 and 1, `n_resamples` rows in all; 0 for blocks of 16 MB.

    Each row takes whole words of the generator, so that blocks change no draw.
    """
    generator = np.random.default_rng(seed)
    at_once = at_once or max(1, _CELLS_AT_ONCE // n)
    for start in range(0, n_resamples, at_once):
        words = generator.integers(
            0, 1 << 32, (min(at_once, n_resamples - start), -(-n // 32)), dtype=np.uint32
        )
        bits = np.unpackbits(words.astype("<u4").view(np.uint8), axis=1, count=n)
        yield bits * 2.0 - 1
