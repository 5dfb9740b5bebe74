"""The tables of geometry: alignment and uniformity, and what encoders make of the space of sentences."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow
from sentflow.report.families.similarity import words
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval
from sentflow.report.rows import is_sample, unique
from sentflow.report.table.table import (
    Blocks,
    Cell,
    Line,
    Table,
    build,
    fields_of,
    footnote_signs,
    footnotes,
    marked,
    number,
    pivoted,
    text,
)


def alignments(inputs: Inputs) -> Table:
    """Every value with its variant, split, threshold and comparison; published ones below.

    Published values are shown of benchmarks that we measured, too.
    """
    rows = inputs.rows(AlignmentRow)
    titles = {row.alignment_set: row.alignment_title for row in rows}
    published = _published_of(inputs.published, rows)
    signs = footnote_signs(entry["remark"] for entry in published)
    with_limits = {row.alignment_set: row for row in rows if not math.isnan(row.alignment_low)}
    notes = words.variant_notes(rows)
    if with_limits:
        sizes = [
            words.scored_pairs(name, row.n_positive, row.effective_pairs) for name, row in with_limits.items()
        ]
        notes += [
            f"In brackets {words.interval_of(Line(with_limits).level)} of a bootstrap over the positive pairs, or over "
            f"components or sentences: {', '.join(sizes)}.",
            words.drawn_note({name: row.drawn for name, row in with_limits.items()}),
        ]

    def title(name: str, _: Sequence[Any]) -> str:
        return f"{name}: {titles[name]}" if name in titles else f"Published: {name}"

    return build(
        "alignment and uniformity.",
        (*fields_of(AlignmentRow), "source", "remark"),
        [*(vars(row) | {"source": "this experiment", "remark": ""} for row in rows), *published],
        [
            text("Encoder", lambda line: line["model_title"] + signs.get(line["remark"], ""), 3.4),
            text("Variant", _variant, 2.5),
            text("Pairs", _pairs, 2.1),
            text("Positives", _positives, 1.8),
            text("Sentences", _sentences, 1.8),
            number("Alignment", "alignment", decimal, 4, limits=("alignment_low", "alignment_high")),
            number("Uniformity", "uniformity", decimal, 4),
        ],
        [
            *notes,
            "Positives: gold score and number of pairs. Sentences: those of uniformity, and how many.",
            "Published values: as printed. A dash: not reported." if published else "",
            *footnotes(signs),
            *unique(
                f"{row.alignment_set} × {row.model_title}: {row.warnings}" for row in rows if row.warnings
            ),
        ],
        data=rows,
        blocks=Blocks(lambda line: line.get("alignment_set", line["source"]), "Measurement", title),
    )


def _variant(line: Mapping[str, Any]) -> str:
    batch = f", batches of {line['batch']}" if line.get("batch") else ""
    name: str = words.VARIANTS.get(line["variant"], line["variant"])
    return name.partition(":")[0] + batch


def _pairs(line: Mapping[str, Any]) -> str:
    if "alignment_set" not in line:
        return str(line["pairs"])
    positives = f"; positives of {line['positives']}" if line["positives"] else ""
    return f"{line['pairs'].replace(' ', ', ')}{positives}"


def _positives(line: Mapping[str, Any]) -> str:
    if line["threshold"] is None:
        return MISSING
    n = f" ({count(line['n_positive'])})" if "alignment_set" in line else ""
    return words.criterion(line["threshold"], line["comparison"]) + n


def _sentences(line: Mapping[str, Any]) -> str:
    if "alignment_set" in line:
        return f"{line['sentences']} ({count(line['n_sentences'])})"
    return "positives of the batch" if line["variant"] == "per-batch" else MISSING


def _published_of(
    published: Sequence[Mapping[str, Any]], rows: Sequence[AlignmentRow]
) -> list[dict[str, Any]]:
    measured = [f" {row.pairs}" for row in rows if not is_sample(row.data_version)]
    return [
        {
            **{key: entry.get(key) for key in ("variant", "threshold", "comparison", "remark")},
            **{key: float(entry[key]) for key in ("alignment", "uniformity")},
            **dict.fromkeys(("alignment_low", "alignment_high"), math.nan),
            "source": str(entry["source"]),
            "model_title": entry["model"],
            "pairs": entry["split"],
        }
        for entry in published
        if any(f" {entry['benchmark']}-" in pairs for pairs in measured)
    ]


def geometry(inputs: Inputs) -> Table:
    """Measure × encoder, a block for each family of sentences; Pearson's of corrected vectors is in the CSV alone."""
    rows = inputs.rows(GeometryRow)
    titles = {row.model: row.model_title for row in rows}
    families = unique(row.family for row in rows)
    shown = [row for row in rows if row.measure != "whitened-pearson"]
    lines = pivoted(shown, ("family", "measure", "pairs"), "model")

    def cell(model: str, line: Mapping[str, GeometryRow]) -> Cell:
        row = line.get(model)
        if row is None or math.isnan(row.value):
            return Cell(MISSING)
        if row.pairs:
            return Cell(words.hundred(row.value), value=row.value)
        limits = "" if math.isnan(row.low) else interval(row.low, row.high)
        return Cell(decimal(row.value), limits, value=row.value)

    widths = unique(f"{row.model_title} {row.dimension}" for row in rows)
    levels = [row.level for row in rows if not math.isnan(row.low)]
    return build(
        "geometry of the embeddings.",
        GeometryRow,
        sorted(lines, key=lambda line: families.index(line.family)),
        [
            text("Measure", lambda line: words.geometry_name(line.measure, line.pairs), 3.6),
            text("Range", lambda line: "-100 to 100" if line.pairs else line.range, 2.0),
            *(marked(title, partial(cell, model)) for model, title in titles.items()),
        ],
        [
            f"Dimensions of the vectors: {', '.join(widths)}.",
            "Whitened: correlation × 100 of cosines after whitening on the sentences of the family.",
            "Definitions: docs/geometry.md. No measure is good or bad by itself.",
            f"In brackets {words.interval_of(levels[0])}, if a measure has one." if levels else "",
            *unique(f"{row.family} × {row.model_title}: {row.warnings}" for row in rows if row.warnings),
        ],
        records=rows,
        blocks=Blocks(
            "family", "Sentences", lambda name, own: f"{name}: {count(own[0].n_texts)} distinct sentences"
        ),
        lead=2,
    )
