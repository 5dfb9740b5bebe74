"""The difference of two encoders over tasks: the plain mean over tasks, its error, and a weighted one beside it."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import stdtrit

from sentflow.stats.effective import effective_clusters

# Of the search for the two deviations, over the spread of the differences
_STARTS = ((0.1, 0.1), (1.0, 0.1), (0.1, 1.0), (1.0, 1.0))
_LARGEST = 10.0  # of either, so that the search stays where the likelihood is not flat


@dataclass(frozen=True)
class PooledDifference:
    """Average difference a − b over tasks, and what it says of a new task; NaN where there is nothing to pool."""

    # mean, low, high: plain mean of the differences, so that of the two means; and the interval of the average true
    # difference of the population that the sources (or the tasks of the only one) are drawn from
    mean: float
    low: float
    high: float
    # weighted, weighted_low, weighted_high: estimate of the same by generalised least squares, which weighs precise
    # tasks and single tasks of a source more
    weighted: float
    weighted_low: float
    weighted_high: float
    # between_tasks, between_sources: standard deviations of the true difference: of tasks inside a source, and of
    # sources. Where each source has one task the two cannot be told apart, and `between_tasks` is of both; of a single
    # source `between_sources` is NaN.
    between_tasks: float
    between_sources: float
    # new_low, new_high: prediction interval of the true difference on one new task, of a new source if there are
    # several
    new_low: float
    new_high: float
    n_sources: int  # groups of tasks


def pooled_difference(
    differences: np.ndarray, errors: np.ndarray, sources: Sequence[Hashable], *, level: float
) -> PooledDifference:
    """Random-effects model of one pair of encoders.

    `differences`, `errors`: (N,) float64 differences a − b on N tasks, and their standard errors. An error of 0, of
    folds that all have one difference, is unknown: the root mean square of the others stands for it. Everything is NaN
    where one is NaN, as of too few documents. `sources`: (N,) what tasks have in common: those of one source are not
    independent.

    d_t = μ + u_s + v_t + e_t with normal u of variance ω² (sources), v of variance τ² (tasks) and e of the known
    variances. ω² and τ² by restricted maximum likelihood (REML). Of N tasks, n_s of source s, the plain mean has the
    variance ω² Σ n_s²/N² + τ²/N + Σ e²/N², and Satterthwaite's degrees of freedom (1946): `effective_clusters` − 1 for
    the first part, N less the number of sources for the second (N − 1 where each source has one task, or there is one
    source), infinitely many for the third; at most one less than there are sources, or tasks if all are of one source,
    for a component that is estimated as 0 would leave too many. The weighted mean has the error of Knapp and Hartung
    2003, never below the one of known variances (Röver, Knapp and Friede 2015), with one degree of freedom less than
    there are sources, or tasks. The prediction interval adds ω² + τ² to the variance of the plain mean (Higgins,
    Thompson and Spiegelhalter 2009), with as many.
    """
    groups = np.unique([str(source) for source in sources], return_inverse=True)[1]
    n_sources = int(groups.max(initial=-1)) + 1
    several = 1 < n_sources < len(differences)
    freedom = (n_sources if n_sources > 1 else len(differences)) - 1
    known = errors[errors > 0]
    if freedom < 1 or len(known) == 0 or np.isnan(errors).any():
        nan = math.nan
        return PooledDifference(nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, n_sources)
    filled = np.where(errors > 0, errors, math.sqrt(float((known**2).mean())))
    model = _Model(differences, filled**2, groups)
    tau, omega = model.deviations(with_sources=several)
    weighted, variance, misfit = model.fit(tau, omega)
    wide = float(stdtrit(freedom, (1 + level) / 2))
    of_weighted = wide * math.sqrt(variance * max(1.0, misfit / (len(differences) - 1)))
    mean, of_mean, own_freedom = model.plain(tau, omega)
    half_width = float(stdtrit(own_freedom, (1 + level) / 2)) * math.sqrt(of_mean)
    reach = wide * math.sqrt(of_mean + tau**2 + omega**2)
    return PooledDifference(
        mean=mean,
        low=mean - half_width,
        high=mean + half_width,
        weighted=weighted,
        weighted_low=weighted - of_weighted,
        weighted_high=weighted + of_weighted,
        between_tasks=tau,
        between_sources=omega if several else math.nan,
        new_low=mean - reach,
        new_high=mean + reach,
        n_sources=n_sources,
    )


@dataclass(frozen=True)
class _Model:
    """The differences of N tasks, their known variances, and the number of each one's group; all (N,)."""

    differences: np.ndarray
    variances: np.ndarray
    groups: np.ndarray

    def deviations(self, *, with_sources: bool) -> tuple[float, float]:
        """τ and ω with the highest restricted likelihood; ω is 0 without sources."""
        # equal differences on all tasks: the unit is then that of their errors
        unit = float(self.differences.std()) or float(np.sqrt(self.variances.mean()))

        def lack(deviations: np.ndarray) -> float:
            tau, omega = (*(deviations * unit), 0.0)[:2]
            return self._minus_log_likelihood(tau, omega)

        n_components = 1 + with_sources
        starts = _STARTS if with_sources else _STARTS[:2]
        fits = [
            minimize(
                lack,
                start[:n_components],
                method="L-BFGS-B",
                bounds=[(0, _LARGEST)] * n_components,
                tol=1e-10,
            )
            for start in starts
        ]
        found = min(fits, key=lambda fit: float(fit.fun)).x * unit
        return float(found[0]), float(found[1]) if with_sources else 0.0

    def fit(self, tau: float, omega: float) -> tuple[float, float, float]:
        """Mean, its variance, and the sum of squared residuals in units of their covariance."""
        (weight, total, squares), _ = self._products(tau, omega)
        mean = total / weight
        return mean, 1 / weight, max(0.0, squares - mean * total)

    def plain(self, tau: float, omega: float) -> tuple[float, float, float]:
        """Unweighted mean, its variance, and Satterthwaite's degrees of freedom of that."""
        n, sizes = len(self.differences), np.bincount(self.groups)
        of_sources = omega**2 * float((sizes**2).sum()) / n**2
        of_tasks = tau**2 / n
        variance = of_sources + of_tasks + float(self.variances.sum()) / n**2
        n_within = n - (len(sizes) if 1 < len(sizes) < n else 1)
        squares = of_tasks**2 / n_within
        if of_sources:
            squares += of_sources**2 / max(1.0, effective_clusters(sizes) - 1)
        units = (len(sizes) if len(sizes) > 1 else n) - 1
        freedom = min(variance**2 / squares, units) if squares else units
        return float(self.differences.mean()), variance, freedom

    def _minus_log_likelihood(self, tau: float, omega: float) -> float:
        """Twice the negative restricted log-likelihood, up to a constant."""
        (weight, total, squares), log_determinant = self._products(tau, omega)
        return log_determinant + math.log(weight) + squares - total**2 / weight

    def _products(self, tau: float, omega: float) -> tuple[tuple[float, float, float], float]:
        """1ᵀV⁻¹1, 1ᵀV⁻¹d and dᵀV⁻¹d of the covariance V of the tasks, and log |V|.

        V is diagonal but for ω² between tasks of one group, so its inverse is known (Sherman and Morrison 1950).
        """
        own = 1 / (self.variances + tau**2)
        weight = np.bincount(self.groups, own)
        total = np.bincount(self.groups, own * self.differences)
        shared = 1 + omega**2 * weight
        products = (
            float((weight / shared).sum()),
            float((total / shared).sum()),
            float((own * self.differences**2).sum() - (omega**2 * total**2 / shared).sum()),
        )
        return products, float(np.log(shared).sum() - np.log(own).sum())
