"""Result files of similarity and geometry -> the rows of their summaries."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.files.rows import number_or_nan, row_from
from sentflow.report.families.pair_summaries import COEFFICIENTS, data_version_of, model_columns
from sentflow.report.families.similarity.rows import SAME_VECTOR, HistogramRow, RegressionRow, SimilarityRow
from sentflow.report.rows import described, unique
from sentflow.report.settings import SimilaritySummary
from sentflow.similarity.scores import OVERLAP, SimilarityRows

_WHOLE_SET = ("all", "mean", "wmean")
_GOLD_BINS = 5
_SIMILARITY_BINS = 30


def n_equal(pairs: SimilarityRows) -> int:
    """Pairs whose two vectors are the same; of a baseline those that share everything."""
    values = pairs.columns.get("cosine", pairs.columns.get(OVERLAP))
    return 0 if values is None else int(np.sum(values >= SAME_VECTOR))


def similarity_rows(
    scores: Mapping[str, Any], pairs: SimilarityRows, settings: SimilaritySummary
) -> list[SimilarityRow]:
    """Every correlation of one score file."""
    about = described(settings, "pairs", scores["pairs"])
    model = model_columns(settings, scores["model"])
    equal = n_equal(pairs)
    found: list[SimilarityRow] = []
    for measure, by_aggregation in scores["scores"].items():
        intervals = scores["intervals"].get(measure, {})
        subsets = by_aggregation.get("subsets", {})
        # a set without sub-sources has one, which says nothing more
        drawn = scores["drawn"]
        members = [
            (name, "", by_aggregation[name], intervals.get(name, {}), drawn[name]) for name in _WHOLE_SET
        ]
        if len(subsets) > 1:
            limits = intervals.get("subsets", {})
            members += [
                ("subset", name, subsets[name], limits.get(name, {}), drawn["subsets"][name])
                for name in unique(pairs.subset)
            ]
        for aggregation, subset, values, limits, units in members:
            for coefficient in COEFFICIENTS:
                low, high = limits.get(coefficient) or (None, None)
                is_main = coefficient == settings.correlation and measure in (settings.measure, OVERLAP)
                found.append(
                    row_from(
                        SimilarityRow,
                        scores,
                        pairs_title=about.title,
                        group=about.group,
                        family=about.family,
                        **model,
                        is_baseline=scores["model"] in settings.baselines,
                        measure=measure,
                        coefficient=coefficient,
                        aggregation=aggregation,
                        subset=subset,
                        n=int(values.get("n", scores["n_pairs"])),
                        n_equal=equal,
                        value=number_or_nan(values[coefficient]),
                        low=number_or_nan(low),
                        high=number_or_nan(high),
                        drawn=units["kind"],
                        n_units=units["n_units"],
                        effective_pairs=units["effective_pairs"],
                        is_main=is_main,
                        warnings=" ".join(scores["warnings"]),
                    )
                )
    return found


def regression_row(result: Mapping[str, Any], settings: SimilaritySummary) -> RegressionRow:
    """The row of one regression."""
    about = described(settings, "regressions", result["regression"])
    return row_from(
        RegressionRow,
        {**result, **dict(about)},
        regression_title=about.title,
        **model_columns(settings, result["model"]),
        data_version=data_version_of(settings, [about.train, about.dev, about.test]),
    )


def histogram_rows(
    scores: Mapping[str, Any], pairs: SimilarityRows, settings: SimilaritySummary
) -> list[HistogramRow]:
    """Similarities of one encoder on one pair set, by ranges of the gold score; none for a baseline.

    The gold scale is cut into ranges of 1 where that makes 3 to 6 of them (the papers' 0–1, …, 4–5), else into
    `_GOLD_BINS` equal ones; into two for a set with two gold scores. Similarities are cut into `_SIMILARITY_BINS`
    between the least and the greatest.
    """
    measure = settings.measure
    if measure not in pairs.columns:
        return []
    about = described(settings, "pairs", scores["pairs"])
    known = np.isfinite(pairs.columns[measure])
    values, gold = pairs.columns[measure][known], pairs.gold[known]
    if not len(values):
        return []
    edges = _gold_edges(pairs.gold, about.scale)
    limits = np.linspace(*_room(float(values.min()), float(values.max())), _SIMILARITY_BINS + 1)
    value = number_or_nan(scores["scores"][measure]["all"][settings.correlation])
    found = []
    for place, (low, high) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        last = place == len(edges) - 2
        inside = (gold >= low) & ((gold <= high) if last else (gold < high))
        members = values[inside]
        quartiles = np.quantile(members, (0.25, 0.5, 0.75)) if len(members) else (math.nan,) * 3
        counts, _ = np.histogram(members, bins=limits)
        found += [
            row_from(
                HistogramRow,
                scores,
                pairs_title=about.title,
                **model_columns(settings, scores["model"]),
                measure=measure,
                gold_low=float(low),
                gold_high=float(high),
                n_gold=len(members),
                quartile_1=float(quartiles[0]),
                median=float(quartiles[1]),
                quartile_3=float(quartiles[2]),
                low=float(limits[index]),
                high=float(limits[index + 1]),
                count=int(count),
                value=value,
            )
            for index, count in enumerate(counts)
        ]
    return found


def _gold_edges(gold: np.ndarray, scale: Sequence[float]) -> np.ndarray:
    low, high = (float(limit) for limit in scale)
    n_units = round(high - low) if high - low in range(3, 7) else _GOLD_BINS
    n_bins = 2 if len(np.unique(gold)) <= 2 else n_units
    return np.linspace(low, high, n_bins + 1)


def _room(low: float, high: float) -> tuple[float, float]:
    """Limits that are not the same, for a histogram of equal values."""
    return (low, high) if high > low else (low - 0.5, high + 0.5)
