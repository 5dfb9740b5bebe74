"""Several encoders on several units: omnibus test and pairs. One number per encoder and unit.

Units are what is taken as independent: tasks, or averages over the tasks of a source; see `independent_units`.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc
from scipy.stats import wilcoxon

from sentflow.stats.ranks import average_ranks

DECIMALS = 12  # beyond which differences of means differ by rounding
_EXACT_UP_TO = 50  # units


@dataclass(frozen=True)
class Omnibus:
    """Whether the encoders differ at all; NaN where there are fewer than two units or encoders."""

    # chi2, chi2_p: friedman, K − 1 degrees of freedom
    chi2: float
    chi2_p: float
    # f, f_p: Iman and Davenport's form, K − 1 and (K − 1)(N − 1) degrees of freedom. Where all units rank alike `f` is
    # infinite and `f_p` the exact probability of that.
    f: float
    f_p: float


def independent_units(sources: Sequence[Hashable]) -> np.ndarray:
    """What of the tasks is taken as independent.

    `sources`: (N,) what tasks have in common, say the dataset. Returns (N,) int64 in [0, U), the unit of each task,
    numbered as they appear: its source, or the task itself where all tasks have one source. With one source nothing can
    be said of others, and tasks stand for its further ones.
    """
    names = list(dict.fromkeys(sources))
    if len(names) == 1:
        return np.arange(len(sources))
    return np.array([names.index(source) for source in sources], dtype=np.int64)


def unit_means(means: np.ndarray, units: np.ndarray) -> np.ndarray:
    """(U, K) float64 averages over the tasks of each unit, of (N, K) scores and the (N,) units of the tasks."""
    n_units = int(units.max(initial=-1)) + 1
    averages = [means[units == unit].mean(axis=0) for unit in range(n_units)]
    return np.array(averages, dtype=np.float64).reshape(n_units, means.shape[1])


def ranks(values: np.ndarray) -> np.ndarray:
    """(…, K) float64 ranks along the last axis: 1 for the highest, equal values share the mean of their ranks."""
    return average_ranks(-values)


def omnibus(means: np.ndarray) -> Omnibus:
    """Friedman's test and the sharper form of Iman and Davenport.

    `means`: (N, K) scores of K encoders on N units.

    χ² = 12N/(K(K+1)) · (Σ R² − K(K+1)²/4) of the average ranks R, over 1 − Σ(t³ − t)/(N(K³ − K)) for groups of t equal
    scores; F = (N − 1)χ² / (N(K − 1) − χ²). Friedman 1937; Iman and Davenport 1980; Demšar 2006.
    """
    n, k = means.shape
    if n < 2 or k < 2:
        return Omnibus(*[math.nan] * 4)
    ranked = ranks(means)
    # Σ over groups of t³ − t: each member of a group counts t² − 1
    tied = float(((means[:, None, :] == means[:, :, None]).sum(axis=2).astype(np.float64) ** 2 - 1).sum())
    ties = 1 - tied / (n * (k**3 - k))
    if ties <= 0:  # no unit ranks anything
        return Omnibus(0.0, 1.0, 0.0, 1.0)
    average = ranked.mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * (float((average**2).sum()) - k * (k + 1) ** 2 / 4) / ties
    chi2_p = float(chdtrc(k - 1, chi2))
    rest = n * (k - 1) - chi2
    if rest <= 1e-9 * n * k:
        return Omnibus(chi2, chi2_p, math.inf, math.factorial(k) ** -(n - 1.0))
    f = (n - 1) * chi2 / rest
    return Omnibus(chi2, chi2_p, f, float(fdtrc(k - 1, (k - 1) * (n - 1), f)))


def signed_rank_p(differences: np.ndarray) -> float:
    """Two-sided p of Wilcoxon's signed-rank test over units; 1 where no unit has a difference.

    Exact for up to 50 units, with ties too: every set of signs of the shared ranks is counted. Beyond, the normal
    approximation. Differences of 0 are left out, and those that differ by rounding are ties. Wilcoxon 1945; with ties
    Pratt and Gibbons 1981.
    """
    rounded = differences.round(DECIMALS)
    different = rounded[rounded != 0]
    if len(different) == 0:
        return 1.0
    if len(different) > _EXACT_UP_TO:
        return float(wilcoxon(different, method="asymptotic").pvalue)
    doubled = (2 * average_ranks(np.abs(different))).astype(
        np.int64
    )  # whole numbers, as shared ranks may be halves
    chances = np.ones(1)  # of each sum of the ranks with a positive sign
    for rank in doubled:
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    found = int(doubled[different > 0].sum())
    return min(1.0, 2 * float(min(chances[: found + 1].sum(), chances[found:].sum())))
