"""Scores of one encoder on one pair set: each measure and correlation, over all pairs and by sub-source."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.similarity.bootstrap import bootstrap
from sentflow.similarity.correlations import CORRELATIONS, is_constant
from sentflow.stats.pair_graph import PairGraph, PairUnits
from sentflow.stats.resampling import Bootstrap, percentile_limits
from sentflow.stats.seeds import derive_seed

AGGREGATIONS = ("all", "mean", "wmean")


def similarity_scores(
    gold: np.ndarray,
    subsets: Sequence[str],
    columns: Mapping[str, np.ndarray],
    graph: PairGraph,
    settings: Bootstrap,
) -> dict[str, Any]:
    """Correlations with intervals.

    Parameters
    ----------
    gold
        (n,) scores of people.
    subsets
        n names of sub-sources.
    columns
        Measure → (n,) similarities.
    graph
        Which sentences the n pairs share.
    settings
        Of the intervals.

    Returns
    -------
    dict
        ``scores``: per measure ``all``, ``mean``, ``wmean`` (correlation → value in [-1, 1]) and ``subsets``
        (name → ``n`` and correlations; empty where there is one sub-source alone). ``intervals``: the same with
        ``[low, high]``. ``drawn``: for each of these intervals what was drawn (``kind``), how many (``n_units``), and
        ``effective_pairs``; see `PairGraph.units`. ``warnings``: sentences. Undefined values are NaN.

    Notes
    -----
    all: one correlation over the pairs of all sub-sources; mean: of the correlations of the sub-sources; wmean: the
    same, weighted by their numbers of pairs. facebookresearch/SentEval@1869aaa and princeton-nlp/SimCSE@7edb07e,
    ``senteval/sts.py``. Intervals are percentiles of a bootstrap over pairs, or over what pairs that share
    sentences make up; for mean and wmean these are drawn within each sub-source, for its size is no accident.
    """
    parts = rows_by_subset(subsets)
    values = list(columns.values())
    units = graph.units
    units_of = {name: graph.of(rows).units for name, rows in parts.items()} if len(parts) > 1 else {}
    whole = bootstrap(gold, values, units, n_resamples=settings.n_resamples, seed=settings.seed)
    replicates = {
        name: bootstrap(
            gold[parts[name]],
            [column[parts[name]] for column in values],
            own,
            n_resamples=settings.n_resamples,
            seed=derive_seed(settings.seed, name),
        )
        for name, own in units_of.items()
    }
    scores, intervals, warnings = {}, {}, []
    for index, (measure, column) in enumerate(columns.items()):
        scores[measure] = point_scores(gold, column, parts)
        intervals[measure], undefined = _intervals(whole, replicates, parts, index, settings.level)
        _leave_out(intervals[measure], units, units_of)
        warnings += _warnings(measure, gold, column, parts)
        if undefined and not any(warning.startswith(f"{measure}:") for warning in warnings):
            warnings.append(
                f"{measure}: some of {settings.n_resamples} resamples have only one distinct value; their "
                "correlations are undefined and left out of the interval."
            )
    return {
        "scores": scores,
        "intervals": intervals,
        "drawn": drawn_units(units, units_of),
        "warnings": warnings,
    }


def drawn_units(whole: PairUnits, by_subset: Mapping[str, PairUnits]) -> dict[str, Any]:
    """The ``drawn`` of `similarity_scores`; sub-sources are independent, so that what they have adds up."""
    parts = list(by_subset.values()) or [whole]
    several = {
        "kind": ", ".join(dict.fromkeys(part.kind for part in parts)),
        "n_units": sum(part.n_units for part in parts),
        "effective_pairs": sum(part.effective_pairs for part in parts),
    }
    subsets = {name: own.facts() for name, own in by_subset.items()}
    return {"all": whole.facts(), "mean": several, "wmean": several, "subsets": subsets}


def rows_by_subset(subsets: Sequence[str]) -> dict[str, np.ndarray]:
    """Sub-source → its rows, ascending; in order of first occurrence."""
    names = np.array(subsets, dtype=object)
    return {name: np.flatnonzero(names == name) for name in dict.fromkeys(subsets)}


def point_scores(gold: np.ndarray, column: np.ndarray, parts: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The ``scores`` of one measure, see `similarity_scores`; `parts` are those of `rows_by_subset`."""
    by_subset = {
        name: {key: correlation(column[rows], gold[rows]) for key, correlation in CORRELATIONS.items()}
        for name, rows in parts.items()
    }
    sizes = [len(rows) for rows in parts.values()]
    found: dict[str, Any] = {name: {} for name in AGGREGATIONS}
    for key, correlation in CORRELATIONS.items():
        found["all"][key] = correlation(column, gold)
        for name, value in aggregate([part[key] for part in by_subset.values()], sizes).items():
            found[name][key] = value
    several = {name: {"n": len(parts[name]), **by_subset[name]} for name in parts} if len(parts) > 1 else {}
    return {**found, "subsets": several}


def aggregate(values: Sequence[float], sizes: Sequence[int]) -> dict[str, float]:
    """Mean, and mean weighted by size, of the correlations of sub-sources; NaN where one of them is."""
    if len(values) == 1:
        return {"mean": values[0], "wmean": values[0]}  # to the last bit
    return {"mean": float(np.mean(values)), "wmean": float(np.average(values, weights=sizes))}


def _intervals(
    whole: Mapping[str, np.ndarray],
    replicates: Mapping[str, Mapping[str, np.ndarray]],
    parts: Mapping[str, np.ndarray],
    index: int,
    level: float,
) -> tuple[dict[str, Any], bool]:
    """The limits of one measure, and whether some resample had no correlation."""
    found: dict[str, Any] = {
        **{name: {} for name in AGGREGATIONS},
        "subsets": {name: {} for name in replicates},
    }
    undefined = False
    for key in CORRELATIONS:
        of_all = whole[key][:, index]
        drawn = {"all": of_all, "mean": of_all, "wmean": of_all}
        if replicates:
            by_subset = np.stack([part[key][:, index] for part in replicates.values()], axis=1)
            sizes = [len(parts[name]) for name in replicates]
            drawn["mean"] = by_subset.mean(axis=1)
            drawn["wmean"] = np.average(by_subset, axis=1, weights=sizes)
            for column, name in enumerate(replicates):
                found["subsets"][name][key] = limits(by_subset[:, column], level)
        for name, values in drawn.items():
            found[name][key] = limits(values, level)
            undefined = undefined or bool(np.isnan(values).any())
    return found, undefined


def _leave_out(found: dict[str, Any], whole: PairUnits, by_subset: Mapping[str, PairUnits]) -> None:
    """Take away the limits of what has too few effective pairs."""
    none = dict.fromkeys(CORRELATIONS, (math.nan, math.nan))
    if not whole.says_enough:
        found.update(dict.fromkeys(AGGREGATIONS, none))
    for name, units in by_subset.items():
        if not units.says_enough:
            found["subsets"][name] = none


def limits(values: np.ndarray, level: float) -> tuple[float, float]:
    """The two limits between which the middle `level` of the defined values lies; NaN where there is none."""
    return percentile_limits(values[~np.isnan(values)], level)


def _warnings(
    measure: str, gold: np.ndarray, column: np.ndarray, parts: Mapping[str, np.ndarray]
) -> list[str]:
    if is_constant(column):
        return [f"{measure}: every pair has the same similarity, so the correlation is undefined."]
    if is_constant(gold):
        return [f"{measure}: every pair has the same gold score, so the correlation is undefined."]
    undefined = [name for name, rows in parts.items() if is_constant(column[rows]) or is_constant(gold[rows])]
    if not undefined:
        return []
    return [
        f"{measure}: the pairs of {', '.join(undefined)} have only one distinct value, so their correlation "
        "and the means over sub-sources are undefined."
    ]
