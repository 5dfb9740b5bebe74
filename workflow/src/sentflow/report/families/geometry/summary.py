"""Result files of geometry -> the rows of their summaries."""

import math
from collections.abc import Mapping
from typing import Any

from sentflow.files.rows import number_or_nan, row_from
from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow, SpectrumRow, TruncationRow
from sentflow.report.families.pair_summaries import COEFFICIENTS, data_version_of, model_columns, position_of
from sentflow.report.families.similarity.words import GEOMETRY
from sentflow.report.rows import described
from sentflow.report.settings import GeometrySummary


def alignment_row(result: Mapping[str, Any], settings: GeometrySummary) -> AlignmentRow:
    """The row of one measurement of alignment and uniformity."""
    about, config = described(settings, "alignments", result["set"]), result["config"]
    pairs = list(about.pairs)
    drawn = result.get("drawn") or {"kind": "", "effective_pairs": None}
    low, high = (result.get("interval") or {}).get("alignment") or (None, None)
    return row_from(
        AlignmentRow,
        {**config, **result},
        alignment_set=result["set"],
        alignment_title=about.title,
        family=described(settings, "pairs", pairs[0]).family,
        pairs=" ".join(pairs),
        **model_columns(settings, result["model"]),
        sentences=config.get("sentences", "all"),
        batch=int(config.get("batch") or 0),
        data_version=data_version_of(settings, pairs),
        positives=" ".join(config.get("positives", ())),
        alignment_low=number_or_nan(low),
        alignment_high=number_or_nan(high),
        level=settings.level,
        drawn=drawn["kind"],
        effective_pairs=number_or_nan(drawn["effective_pairs"]),
        warnings=" ".join(result["warnings"]),
    )


def geometry_rows(result: Mapping[str, Any], settings: GeometrySummary) -> list[GeometryRow]:
    """The measures of one encoder on one family; corrected scores last."""
    own = {
        **model_columns(settings, result["model"]),
        "data_version": data_version_of(settings, _of_family(settings, result["family"])),
        "warnings": " ".join(result["warnings"]),
    }
    found = [
        row_from(
            GeometryRow,
            {"low": None, "high": None, **result, **measure},
            **own,
            measure=name,
            pairs="",
            level=settings.level,
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
        for coefficient in COEFFICIENTS
    ]
    return found


def spectrum_rows(result: Mapping[str, Any], settings: GeometrySummary) -> list[SpectrumRow]:
    """The share of variance of every principal direction, the largest first."""
    model = model_columns(settings, result["model"])
    version = data_version_of(settings, _of_family(settings, result["family"]))
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
            position=position_of(settings, result["model"]),
        )
        for place, share in enumerate(shares, start=1)
    ]


def truncation_rows(result: Mapping[str, Any], settings: GeometrySummary) -> list[TruncationRow]:
    """The score of every pair set with shortened vectors."""
    model = model_columns(settings, result["model"])
    return [
        row_from(
            TruncationRow,
            {**result, **point},
            pairs_title=described(settings, "pairs", point["pairs"]).title,
            **model,
            full_dimensions=result["dimension"],
            data_version=data_version_of(settings, [point["pairs"]]),
            position=position_of(settings, result["model"]),
        )
        for point in result["truncation"]
    ]


def _known_first(measure: str) -> tuple[int, str]:
    """Measures in the order of `GEOMETRY`, for the file is sorted by name; others after them."""
    names = list(GEOMETRY)
    return (names.index(measure) if measure in names else len(names)), measure


def _place(settings: GeometrySummary, pairs: str) -> int:
    selected = settings.selected
    return selected.index(pairs) if pairs in selected else len(selected)


def _of_family(settings: GeometrySummary, family: str) -> list[str]:
    return [name for name, entry in settings.pairs.items() if entry.family == family]
