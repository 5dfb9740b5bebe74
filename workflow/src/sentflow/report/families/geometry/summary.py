"""Result files of geometry → the rows of their summaries."""

import math
from collections.abc import Mapping
from typing import Any

from sentflow.files.rows import number_or_nan, row_from
from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow, SpectrumRow, TruncationRow
from sentflow.report.families.similarity.summary import COEFFICIENTS, about
from sentflow.report.families.similarity.words import GEOMETRY
from sentflow.report.rows import described
from sentflow.report.settings import GeometrySummary


def alignment_row(result: Mapping[str, Any], settings: GeometrySummary) -> AlignmentRow:
    """The row of one measurement of alignment and uniformity."""
    alignment, config = described(settings, "alignments", result["set"]), result["config"]
    drawn = result.get("drawn") or {"kind": "", "effective_pairs": None}
    low, high = (result.get("interval") or {}).get("alignment") or (None, None)
    own = {
        "alignment_set": result["set"],
        "alignment_title": alignment.title,
        "pairs": " ".join(alignment.pairs),
    }
    own |= {"family": described(settings, "pairs", alignment.pairs[0]).family, "level": settings.level}
    own |= {"sentences": config.get("sentences", "all"), "batch": int(config.get("batch") or 0)}
    own |= {"positives": " ".join(config.get("positives", ())), "warnings": " ".join(result["warnings"])}
    own |= {"alignment_low": low, "alignment_high": high, "drawn": drawn["kind"]}
    own |= {"effective_pairs": drawn["effective_pairs"]}
    known = {**config, **result, **about(settings, result["model"], alignment.pairs)}
    return row_from(AlignmentRow, known | own)


def geometry_rows(result: Mapping[str, Any], settings: GeometrySummary) -> list[GeometryRow]:
    """The measures of one encoder on one family in the order of `GEOMETRY`, then others; corrected scores last."""
    known = {
        **_of_family(result, settings),
        "warnings": " ".join(result["warnings"]),
        "low": None,
        "high": None,
    }
    places = {name: place for place, name in enumerate(GEOMETRY)}
    rows = [
        row_from(
            GeometryRow, {**known, **result["measures"][name]}, measure=name, pairs="", level=settings.level
        )
        for name in sorted(result["measures"], key=lambda name: (places.get(name, len(places)), name))
    ]
    whitened, selected = result.get("whitened") or {}, settings.selected
    for pairs in sorted(whitened, key=lambda name: (*selected, name).index(name)):
        for coefficient in COEFFICIENTS:
            value = number_or_nan(whitened[pairs][coefficient])
            own = {"measure": f"whitened-{coefficient}", "pairs": pairs, "value": value, "range": "[-1, 1]"}
            rows.append(row_from(GeometryRow, known, **own, level=math.nan))
    return rows


def spectrum_rows(result: Mapping[str, Any], settings: GeometrySummary) -> list[SpectrumRow]:
    """The share of variance of every principal direction, the largest first."""
    known, shares = _of_family(result, settings), [float(share) for share in result["spectrum"]]
    return [
        row_from(SpectrumRow, known, component=place, share=share, cumulative=math.fsum(shares[:place]))
        for place, share in enumerate(shares, start=1)
    ]


def truncation_rows(result: Mapping[str, Any], settings: GeometrySummary) -> list[TruncationRow]:
    """The score of every pair set with shortened vectors."""
    return [
        row_from(
            TruncationRow,
            {**result, **point, **about(settings, result["model"], [point["pairs"]])},
            pairs_title=described(settings, "pairs", point["pairs"]).title,
            full_dimensions=result["dimension"],
        )
        for point in result["truncation"]
    ]


def _of_family(result: Mapping[str, Any], settings: GeometrySummary) -> dict[str, Any]:
    """What all rows of a family of sentences say."""
    pairs = [name for name, entry in settings.pairs.items() if entry.family == result["family"]]
    return {**result, **about(settings, result["model"], pairs)}
