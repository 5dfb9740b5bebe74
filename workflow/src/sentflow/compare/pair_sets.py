"""Which encoders differ on a pair set."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sentflow.compare.similarity_rows import OVERLAP, SimilarityDifference
from sentflow.errors import DataError
from sentflow.similarity.bootstrap import bootstrap
from sentflow.similarity.correlations import CORRELATIONS
from sentflow.similarity.scores import limits
from sentflow.similarity.storage import SimilarityRows
from sentflow.stats.dependent import williams_p
from sentflow.stats.multiplicity import holm


@dataclass(frozen=True)
class ComparisonSettings:
    """What is compared, and how.

    Attributes
    ----------
    measure, correlation
        Of the values compared.
    alpha, level
        Of tests and intervals.
    n_resamples, seed
        Of the bootstrap; the seed is that of the pair set, see `bootstrap_seed`.
    """

    measure: str
    correlation: str
    alpha: float
    level: float
    n_resamples: int
    seed: int


def compare_models(
    rows: Sequence[SimilarityRows], settings: ComparisonSettings
) -> list[SimilarityDifference]:
    """Every two encoders on one pair set, in the order given.

    Parameters
    ----------
    rows
        Of one pair set, one for each encoder.

    Raises
    ------
    DataError
        They are of different pairs, or one lacks the measure.
    """
    if len(rows) < 2:
        return []
    _refuse_other_pairs(rows)
    gold = rows[0].gold
    columns = [_column(one, settings.measure) for one in rows]
    replicates = bootstrap(gold, columns, n_resamples=settings.n_resamples, seed=settings.seed)
    drawn = replicates.of(settings.correlation)
    correlate = CORRELATIONS[settings.correlation]
    values = [correlate(column, gold) for column in columns]
    found = []
    for a, b in combinations(range(len(rows)), 2):
        difference = values[a] - values[b]
        resampled = drawn[:, a] - drawn[:, b]
        low, high = limits(resampled, settings.level)
        found.append(
            SimilarityDifference(
                pairs=rows[a].pairs,
                aggregation="all",
                measure=settings.measure,
                correlation=settings.correlation,
                model_a=rows[a].model,
                model_b=rows[b].model,
                value_a=values[a],
                value_b=values[b],
                difference=difference,
                low=low,
                high=high,
                p_bootstrap=p_of_replicates(difference, resampled),
                p_williams=williams_p(values[a], values[b], correlate(columns[a], columns[b]), n=len(gold)),
                p_holm=math.nan,
                n=len(gold),
                alpha=settings.alpha,
                level=settings.level,
            )
        )
    adjusted = holm([row.p_bootstrap for row in found])
    return [replace(row, p_holm=p) for row, p in zip(found, adjusted, strict=True)]


def p_of_replicates(difference: float, replicates: np.ndarray) -> float:
    """Two-sided p of a difference with the spread that its replicates have.

    Notes
    -----
    2 · (1 − Φ(|difference| / s)) with s the sample standard deviation of the defined replicates. Unlike the share
    of replicates beyond 0 it is not cut off at 1/R, so that it can be adjusted for many pairs. 1 where the two encoders
    are equal in every resample; NaN where a value is undefined.
    """
    defined = replicates[~np.isnan(replicates)]
    if math.isnan(difference) or len(defined) < 2:
        return math.nan
    spread = float(defined.std(ddof=1))
    if spread == 0:
        return 1.0 if difference == 0 else math.nan
    return math.erfc(abs(difference) / spread / math.sqrt(2))


def _column(rows: SimilarityRows, measure: str) -> np.ndarray:
    for name in (measure, OVERLAP):
        if name in rows.columns:
            return rows.columns[name]
    raise DataError(
        f"the similarities of {rows.model} on {rows.pairs} have no measure {measure!r}, only "
        f"{', '.join(rows.columns)}. Write one of these as the measure."
    )


def _refuse_other_pairs(rows: Sequence[SimilarityRows]) -> None:
    first = rows[0]
    for other in rows[1:]:
        if other.subset != first.subset or not np.array_equal(other.gold, first.gold):
            raise DataError(
                f"{first.model} and {other.model} were not scored on the same pairs of {first.pairs}. Delete both "
                "files of similarities and run snakemake again."
            )
