"""Result files of similarity and geometry -> the rows of their summaries."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.files.rows import number_or_nan, row_from
from sentflow.jobs.arguments import described
from sentflow.report.families.similarity.rows import (
    SAME_VECTOR,
    AlignmentRow,
    GeometryRow,
    HistogramRow,
    RegressionRow,
    SimilarityRow,
    SpectrumRow,
    TruncationRow,
)
from sentflow.report.families.similarity.words import GEOMETRY
from sentflow.report.rows import unique
from sentflow.similarity.storage import OVERLAP, SimilarityRows

BASELINE_TITLES = {
    "jaccard-words": "Shared words (Jaccard)",
    "jaccard-bigrams": "Shared character bigrams (Jaccard)",
    "count-cosine": "Cosine of word counts",
    "jaccard-words-lowercase": "Shared words, lower case (Jaccard)",
    "jaccard-bigrams-lowercase": "Shared character bigrams, lower case (Jaccard)",
}
_WHOLE_SET = ("all", "mean", "wmean")
_COEFFICIENTS = ("spearman", "pearson")
_GOLD_BINS = 5
_SIMILARITY_BINS = 30


def n_equal(pairs: SimilarityRows) -> int:
    """Pairs whose two vectors are the same; of a baseline those that share everything."""
    values = pairs.columns.get("cosine", pairs.columns.get(OVERLAP))
    return 0 if values is None else int(np.sum(values >= SAME_VECTOR))


def similarity_rows(
    scores: Mapping[str, Any], pairs: SimilarityRows, settings: Mapping[str, Any]
) -> list[SimilarityRow]:
    """Every correlation of one score file.

    Raises
    ------
    ConfigError
        `settings` knows no such pair set, encoder or baseline.
    DataError
        The score file lacks a key.
    """
    about = described(settings, "pairs", scores["pairs"])
    model = _model(settings, scores["model"])
    equal = n_equal(pairs)
    found: list[SimilarityRow] = []
    for measure, by_aggregation in scores["scores"].items():
        intervals = scores["intervals"].get(measure, {})
        subsets = by_aggregation.get("subsets", {})
        # a set without sub-sources has one, which says nothing more
        members = [(name, "", by_aggregation[name], intervals.get(name, {})) for name in _WHOLE_SET]
        if len(subsets) > 1:
            limits = intervals.get("subsets", {})
            members += [
                ("subset", name, subsets[name], limits.get(name, {})) for name in unique(pairs.subset)
            ]
        for aggregation, subset, values, limits in members:
            for coefficient in _COEFFICIENTS:
                low, high = limits.get(coefficient) or (None, None)
                is_main = coefficient == settings["correlation"] and measure in (settings["measure"], OVERLAP)
                found.append(
                    row_from(
                        SimilarityRow,
                        scores,
                        pairs_title=about["title"],
                        group=about.get("group", ""),
                        family=about["family"],
                        **model,
                        is_baseline=scores["model"] in settings["baselines"],
                        measure=measure,
                        coefficient=coefficient,
                        aggregation=aggregation,
                        subset=subset,
                        n=int(values.get("n", scores["n_pairs"])),
                        n_equal=equal,
                        value=number_or_nan(values[coefficient]),
                        low=number_or_nan(low),
                        high=number_or_nan(high),
                        is_main=is_main,
                        warnings=" ".join(scores["warnings"]),
                    )
                )
    return found


def regression_row(result: Mapping[str, Any], settings: Mapping[str, Any]) -> RegressionRow:
    """The row of one regression."""
    about = described(settings, "regressions", result["regression"])
    return row_from(
        RegressionRow,
        {**result, **about},
        regression_title=about["title"],
        **_model(settings, result["model"]),
        data_version=_data_version(settings, [about["train"], about["dev"], about["test"]]),
    )


def alignment_row(result: Mapping[str, Any], settings: Mapping[str, Any]) -> AlignmentRow:
    """The row of one measurement of alignment and uniformity."""
    about, config = described(settings, "alignments", result["set"]), result["config"]
    pairs = list(about["pairs"])
    low, high = (result.get("interval") or {}).get("alignment") or (None, None)
    return row_from(
        AlignmentRow,
        {**config, **result},
        alignment_set=result["set"],
        alignment_title=about["title"],
        family=described(settings, "pairs", pairs[0])["family"],
        pairs=" ".join(pairs),
        **_model(settings, result["model"]),
        sentences=config.get("sentences", "all"),
        batch=int(config.get("batch") or 0),
        data_version=_data_version(settings, pairs),
        positives=" ".join(config.get("positives", ())),
        alignment_low=number_or_nan(low),
        alignment_high=number_or_nan(high),
        level=number_or_nan(settings.get("level")),
        warnings=" ".join(result["warnings"]),
    )


def geometry_rows(result: Mapping[str, Any], settings: Mapping[str, Any]) -> list[GeometryRow]:
    """The measures of one encoder on one family; corrected scores last."""
    own = {
        **_model(settings, result["model"]),
        "data_version": _data_version(settings, _of_family(settings, result["family"])),
        "warnings": " ".join(result["warnings"]),
    }
    found = [
        row_from(
            GeometryRow,
            {"low": None, "high": None, **result, **measure},
            **own,
            measure=name,
            pairs="",
            level=number_or_nan(settings.get("level")),
        )
        for name, measure in sorted(result["measures"].items(), key=lambda item: _known_first(item[0]))
    ]
    whitened = result.get("whitened") or {}
    found += [
        row_from(
            GeometryRow,
            result,
            **own,
            measure=f"whitened-{coefficient}",
            pairs=pairs,
            value=number_or_nan(values[coefficient]),
            low=math.nan,
            high=math.nan,
            level=math.nan,
            range="[-1, 1]",
        )
        for pairs, values in sorted(whitened.items(), key=lambda item: _place(settings, item[0]))
        for coefficient in _COEFFICIENTS
    ]
    return found


def spectrum_rows(result: Mapping[str, Any], settings: Mapping[str, Any]) -> list[SpectrumRow]:
    """The share of variance of every principal direction, the largest first."""
    model = _model(settings, result["model"])
    version = _data_version(settings, _of_family(settings, result["family"]))
    shares = [float(share) for share in result["spectrum"]]
    return [
        row_from(
            SpectrumRow,
            result,
            **model,
            component=place,
            share=share,
            cumulative=math.fsum(shares[:place]),
            data_version=version,
            position=_position(settings, result["model"]),
        )
        for place, share in enumerate(shares, start=1)
    ]


def truncation_rows(result: Mapping[str, Any], settings: Mapping[str, Any]) -> list[TruncationRow]:
    """The score of every pair set with shortened vectors."""
    model = _model(settings, result["model"])
    return [
        row_from(
            TruncationRow,
            {**result, **point},
            pairs_title=described(settings, "pairs", point["pairs"])["title"],
            **model,
            full_dimensions=result["dimension"],
            data_version=_data_version(settings, [point["pairs"]]),
            position=_position(settings, result["model"]),
        )
        for point in result["truncation"]
    ]


def histogram_rows(
    scores: Mapping[str, Any], pairs: SimilarityRows, settings: Mapping[str, Any]
) -> list[HistogramRow]:
    """Similarities of one encoder on one pair set, by ranges of the gold score; none for a baseline.

    The gold scale is cut into ranges of 1 where that makes 3 to 6 of them (the papers' 0–1, …, 4–5), else into
    `_GOLD_BINS` equal ones; into two for a set with two gold scores. Similarities are cut into `_SIMILARITY_BINS`
    between the least and the greatest.
    """
    measure = settings["measure"]
    if measure not in pairs.columns:
        return []
    about = described(settings, "pairs", scores["pairs"])
    known = np.isfinite(pairs.columns[measure])
    values, gold = pairs.columns[measure][known], pairs.gold[known]
    if not len(values):
        return []
    edges = _gold_edges(pairs.gold, about["scale"])
    limits = np.linspace(*_room(float(values.min()), float(values.max())), _SIMILARITY_BINS + 1)
    value = number_or_nan(scores["scores"][measure]["all"][settings["correlation"]])
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
                pairs_title=about["title"],
                **_model(settings, scores["model"]),
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


def in_order(rows: Sequence[Any], settings: Mapping[str, Any], set_key: str = "") -> list[Any]:
    """Rows by set and encoder in the order of the selection; within them as they are.

    Parameters
    ----------
    set_key
        The attribute that names the set; nothing if rows have none that is selected by name.

    Raises
    ------
    DataError
        The same row stands there twice.
    """
    _, models = settings["order"]
    names = [*models, *(row.model for row in rows)]
    sets = unique([*settings["order"][0], *(getattr(row, set_key) for row in rows)]) if set_key else []
    places = {name: place for place, name in enumerate(unique(names))}
    set_places = {name: place for place, name in enumerate(sets)}

    def key(row: Any) -> tuple[int, int]:
        return (set_places[getattr(row, set_key)] if set_key else 0, places[row.model])

    return sorted(rows, key=key)


def refuse_twice(results: Sequence[Mapping[str, Any]], key: str) -> None:
    """Raise DataError where two result files are of the same set and encoder."""
    named = [f"{result[key]} × {result['model']}" for result in results]
    twice = unique(name for name in named if named.count(name) > 1)
    if twice:
        raise DataError(f"there is more than one file for {', '.join(twice)}. Give each file once.")


def _gold_edges(gold: np.ndarray, scale: Sequence[float]) -> np.ndarray:
    low, high = (float(limit) for limit in scale)
    n_units = round(high - low) if high - low in range(3, 7) else _GOLD_BINS
    n_bins = 2 if len(np.unique(gold)) <= 2 else n_units
    return np.linspace(low, high, n_bins + 1)


def _room(low: float, high: float) -> tuple[float, float]:
    """Limits that are not the same, for a histogram of equal values."""
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _model(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    if name in settings["baselines"]:
        return {"model": name, "model_title": BASELINE_TITLES.get(name, name), "is_control": False}
    entry = described(settings, "models", name)
    return {"model": name, "model_title": entry["title"], "is_control": bool(entry["control"])}


def _position(settings: Mapping[str, Any], name: str) -> int:
    return int(described(settings, "models", name).get("position", -1))


def _known_first(measure: str) -> tuple[int, str]:
    """Measures in the order of `GEOMETRY`, for the file is sorted by name; others after them."""
    names = list(GEOMETRY)
    return (names.index(measure) if measure in names else len(names)), measure


def _place(settings: Mapping[str, Any], pairs: str) -> int:
    selected = list(settings["order"][0])
    return selected.index(pairs) if pairs in selected else len(selected)


def _of_family(settings: Mapping[str, Any], family: str) -> list[str]:
    return [name for name, entry in settings["pairs"].items() if entry["family"] == family]


def _data_version(settings: Mapping[str, Any], pairs: Sequence[str]) -> str:
    return "; ".join(unique(described(settings, "pairs", name)["data_version"] for name in pairs))
