"""Result files of similarity and geometry -> the rows of their summaries."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.files.rows import row_from
from sentflow.report.families.similarity.rows import SAME_VECTOR, HistogramRow, RegressionRow, SimilarityRow
from sentflow.report.rows import described, unique
from sentflow.report.settings import PairSummary, SimilaritySummary
from sentflow.similarity.scores import OVERLAP, SimilarityRows

COEFFICIENTS = ("spearman", "pearson")
_BASELINES = {
    "jaccard-words": "Shared words (Jaccard)",
    "jaccard-bigrams": "Shared character bigrams (Jaccard)",
    "count-cosine": "Cosine of word counts",
    "jaccard-words-lowercase": "Shared words, lower case (Jaccard)",
    "jaccard-bigrams-lowercase": "Shared character bigrams, lower case (Jaccard)",
}
_WHOLE_SET = ("all", "mean", "wmean")
_GOLD_BINS = 5
_SIMILARITY_BINS = 30


def in_order(rows: Sequence[Any], settings: PairSummary, set_key: str) -> list[Any]:
    """Rows by set, of the attribute `set_key`, and encoder in the order of the selection; within them as they are."""
    systems = unique([*settings.systems, *(row.model for row in rows)])
    sets = unique([*settings.selected, *(getattr(row, set_key) for row in rows)])
    return sorted(rows, key=lambda row: (sets.index(getattr(row, set_key)), systems.index(row.model)))


def about(settings: PairSummary, model: str, pairs: Sequence[str]) -> dict[str, Any]:
    """The columns that say which encoder or baseline a row is of, and what the texts of its pair sets are."""
    versions = unique(described(settings, "pairs", name).data_version for name in pairs)
    known = {"model": model, "data_version": "; ".join(versions)}
    if model in settings.baselines:
        return {**known, "model_title": _BASELINES.get(model, model), "is_control": False}
    entry = described(settings, "models", model)
    return {**known, "model_title": entry.title, "is_control": entry.control, "position": entry.position}


def n_equal(pairs: SimilarityRows) -> int:
    """Pairs whose two vectors are the same; of a baseline those that share everything."""
    values = pairs.columns.get("cosine", pairs.columns.get(OVERLAP))
    return 0 if values is None else int(np.sum(values >= SAME_VECTOR))


def similarity_rows(
    scores: Mapping[str, Any], pairs: SimilarityRows, settings: SimilaritySummary
) -> list[SimilarityRow]:
    """Every correlation of one score file."""
    pair_set, equal = described(settings, "pairs", scores["pairs"]), n_equal(pairs)
    known = {**scores, **about(settings, scores["model"], [scores["pairs"]]), "n_equal": equal}
    known |= {"pairs_title": pair_set.title, "group": pair_set.group, "family": pair_set.family}
    known |= {"is_baseline": scores["model"] in settings.baselines, "warnings": " ".join(scores["warnings"])}
    rows: list[SimilarityRow] = []
    for measure, by_aggregation in scores["scores"].items():
        intervals, drawn = scores["intervals"].get(measure, {}), scores["drawn"]
        members = [
            (name, "", by_aggregation[name], intervals.get(name, {}), drawn[name]) for name in _WHOLE_SET
        ]
        # a set without sub-sources has one, which says nothing more
        if len(subsets := by_aggregation.get("subsets", {})) > 1:
            limits = intervals.get("subsets", {})
            members += [
                ("subset", name, subsets[name], limits.get(name, {}), drawn["subsets"][name])
                for name in unique(pairs.subset)
            ]
        for aggregation, subset, values, limits, units in members:
            for coefficient in COEFFICIENTS:
                low, high = limits.get(coefficient) or (None, None)
                is_main = coefficient == settings.correlation and measure in (settings.measure, OVERLAP)
                own = {
                    "measure": measure,
                    "coefficient": coefficient,
                    "aggregation": aggregation,
                    "subset": subset,
                }
                own |= {"n": int(values.get("n", scores["n_pairs"])), "value": values[coefficient]}
                own |= {"low": low, "high": high, "is_main": is_main, "drawn": units["kind"]}
                rows.append(row_from(SimilarityRow, {**known, **units, **own}))
    return rows


def regression_row(result: Mapping[str, Any], settings: SimilaritySummary) -> RegressionRow:
    """The row of one regression."""
    regression = described(settings, "regressions", result["regression"])
    pairs = [regression.train, regression.dev, regression.test]
    known = {**result, **dict(regression), **about(settings, result["model"], pairs)}
    return row_from(RegressionRow, known, regression_title=regression.title)


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
    pair_set = described(settings, "pairs", scores["pairs"])
    is_known = np.isfinite(pairs.columns[measure])
    values, gold = pairs.columns[measure][is_known], pairs.gold[is_known]
    if not len(values):
        return []
    edges = _gold_edges(pairs.gold, pair_set.scale)
    low, high = float(values.min()), float(values.max())
    # limits that are not the same, for a histogram of equal values
    low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
    limits = np.linspace(low, high, _SIMILARITY_BINS + 1)
    known = {**scores, **about(settings, scores["model"], [scores["pairs"]]), "pairs_title": pair_set.title}
    known |= {"measure": measure, "value": scores["scores"][measure]["all"][settings.correlation]}
    rows = []
    for place, (gold_low, gold_high) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        last = place == len(edges) - 2
        members = values[(gold >= gold_low) & ((gold <= gold_high) if last else (gold < gold_high))]
        quartiles = np.quantile(members, (0.25, 0.5, 0.75)) if len(members) else (math.nan,) * 3
        known |= {"gold_low": float(gold_low), "gold_high": float(gold_high), "n_gold": len(members)}
        known |= dict(zip(("quartile_1", "median", "quartile_3"), map(float, quartiles), strict=True))
        counts, _ = np.histogram(members, bins=limits)
        rows += [
            row_from(HistogramRow, known, low=float(start), high=float(end), count=int(count))
            for start, end, count in zip(limits[:-1], limits[1:], counts, strict=True)
        ]
    return rows


def _gold_edges(gold: np.ndarray, scale: Sequence[float]) -> np.ndarray:
    low, high = (float(limit) for limit in scale)
    n_units = round(high - low) if high - low in range(3, 7) else _GOLD_BINS
    n_bins = 2 if len(np.unique(gold)) <= 2 else n_units
    return np.linspace(low, high, n_bins + 1)
