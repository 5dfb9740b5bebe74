"""Several runs into one: product, weighted sum of normalised scores, reciprocal ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.settings import Fusion


@dataclass(frozen=True)
class Aligned:
    """What m runs found for one question, side by side."""

    rows: np.ndarray  # (r,) int64 rows of documents in the corpus, ascending
    # values: (m, r) float64 what each run adds, or multiplies, for each document; weights are still to be applied
    values: np.ndarray
    is_product: bool  # whether the runs are multiplied, without weights

    @classmethod
    def of(cls, runs: Sequence[Ranked], settings: Fusion) -> "Aligned":
        """Align what each run found for a question, which may be nothing; with `times`, the last run is the factor."""
        if settings.times:
            return cls._side_by_side(runs[:-1], settings)._multiplied(runs[-1])
        return cls._side_by_side(runs, settings)

    @classmethod
    def _side_by_side(cls, runs: Sequence[Ranked], settings: Fusion) -> "Aligned":
        if settings.rule == "product":
            rows = _common([run.rows for run in runs])
            return cls(rows, np.array([_at(run, run.scores, rows, 0.0) for run in runs]), True)
        rows = np.unique(np.concatenate([run.rows for run in runs]))
        values = np.zeros((len(runs), len(rows)))
        for own, run in zip(values, runs, strict=True):
            if len(run):
                own[:] = _added(run, settings, rows)
        return cls(rows, values, False)

    def _multiplied(self, factor: Ranked) -> "Aligned":
        """The documents that a further run has, too, with what the runs add times its scores."""
        kept = np.isin(self.rows, factor.rows)
        rows = self.rows[kept]
        return replace(self, rows=rows, values=self.values[:, kept] * _at(factor, factor.scores, rows, 0.0))

    def top(self, weights: Sequence[float], k: int) -> Ranked:
        """The k best documents by these weights, one per run."""
        if self.is_product:
            return top(np.prod(self.values, axis=0), k, rows=self.rows)
        total = np.zeros(len(self.rows))
        for weight, own in zip(weights, self.values, strict=True):
            total += weight * own
        return top(total, k, rows=self.rows)


def fused(runs: Sequence[Ranked], settings: Fusion, weights: Sequence[float], k: int) -> Ranked:
    """The k best documents of one question by several runs.

    `runs`: what each found for the question; may be empty. `settings`: ``reciprocal-rank``: Σ weight / (k + rank),
    Cormack et al. 2009; ``least-to-greatest``: (s − least) / (greatest − least); ``standard``: (s − mean) / standard
    deviation. Of ``sum``, a document that a run lacks has the least score of that run there. `weights`: one per run,
    but for the factor. `k`: at least 1.
    """
    return Aligned.of(runs, settings).top(weights, k)


def _added(run: Ranked, settings: Fusion, rows: np.ndarray) -> np.ndarray:
    """(r,) what a run adds to each document, for a weight of 1."""
    if settings.rule == "reciprocal-rank":
        return _at(run, 1 / (settings.k + np.arange(1, len(run) + 1)), rows, 0.0)
    values = _normalised(run.scores, settings.normalise)
    # the least score is 0 then, also where all scores are equal
    missing = 0.0 if settings.normalise == "least-to-greatest" else float(values.min())
    return _at(run, values, rows, missing)


def _common(rows: Sequence[np.ndarray]) -> np.ndarray:
    found = rows[0]
    for other in rows[1:]:
        found = np.intersect1d(found, other)
    return np.sort(found)


def _at(run: Ranked, values: np.ndarray, rows: np.ndarray, missing: float) -> np.ndarray:
    """(r,) the values of a run at rows; `missing` where it has none."""
    found = np.full(len(rows), missing)
    order = np.argsort(run.rows)
    places = np.searchsorted(run.rows[order], rows)
    places = np.minimum(places, len(order) - 1)
    is_there = run.rows[order][places] == rows if len(order) else np.zeros(len(rows), dtype=bool)
    found[is_there] = values[order][places[is_there]] if len(order) else []
    return found


def _normalised(scores: np.ndarray, how: str) -> np.ndarray:
    if how == "none":
        return scores
    if how == "standard":
        spread = scores.std()
        return np.asarray((scores - scores.mean()) / (spread if spread else 1.0))
    least, greatest = scores.min(), scores.max()
    if greatest == least:
        return np.ones(len(scores))
    scaled: np.ndarray = (scores - least) / (greatest - least)
    return scaled
