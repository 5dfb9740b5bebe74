"""The tables of geometry: alignment and uniformity, and what encoders make of the space of sentences."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow
from sentflow.report.families.similarity import words
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval
from sentflow.report.rows import is_sample, unique
from sentflow.report.table.table import Cell, Table, build, fields_of, marked, number, text


def alignments(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Every value with its variant, split, threshold and comparison; published ones below.

    Published values are shown of benchmarks that we measured, too.
    """
    rows = inputs.rows(AlignmentRow)
    entries = _published_of(settings.get("published", ()), rows)
    remarks = unique(entry["remark"] for entry in entries if "remark" in entry)
    footnotes = {remark: f" ({place})" for place, remark in enumerate(remarks, 1)}
    titles = {row.alignment_set: row.alignment_title for row in rows}
    records = [asdict(row) | {"source": "this experiment", "remark": ""} for row in rows]
    notes = words.variant_notes(rows)
    with_limits = [row for row in rows if not math.isnan(row.alignment_low)]
    if with_limits:
        sets = {row.alignment_set: row for row in with_limits}
        sizes = (words.scored_pairs(name, row.n_positive, row.effective_pairs) for name, row in sets.items())
        notes += [
            f"In brackets {words.interval_of(with_limits[0].level)} of a bootstrap over the positive pairs, or over "
            f"what is drawn in their place: {', '.join(sizes)}.",
            words.drawn_note({name: row.drawn for name, row in sets.items()}),
        ]
    notes.append(
        "Positives: gold score and number of pairs. Sentences: the sentences that uniformity is "
        "computed over, and how many."
    )
    if entries:
        notes.append("Published values are as printed in their sources. A dash: not reported.")
    notes += [f"{sign.strip()} {remark}" for remark, sign in footnotes.items()]
    notes += unique(
        f"{row.alignment_set} × {row.model_title}: {row.warnings}" for row in rows if row.warnings
    )
    return build(
        "alignments",
        f"{settings['caption']}: alignment and uniformity.",
        (*fields_of(AlignmentRow), "source", "remark"),
        [*map(_our_line, rows), *(_published_line(entry, footnotes) for entry in entries)],
        [
            text("Encoder", "encoder", 3.4),
            text("Variant", "variant", 2.5),
            text("Pairs", "pairs", 2.1),
            text("Positives", "positives", 1.8),
            text("Sentences", "sentences", 1.8),
            number("Alignment", "alignment", decimal, 4, limits=("alignment_low", "alignment_high")),
            number("Uniformity", "uniformity", decimal, 4),
        ],
        notes,
        data=rows,
        records=[*records, *map(_published_record, entries)],
        block="block",
        title=lambda name, _: f"{name}: {titles[name]}" if name in titles else f"Published: {name}",
        block_heading="Measurement",
    )


def _our_line(row: AlignmentRow) -> dict[str, Any]:
    batch = f", batches of {row.batch}" if row.batch else ""
    return {
        "block": row.alignment_set,
        "encoder": row.model_title,
        "variant": words.VARIANTS.get(row.variant, row.variant) + batch,
        "pairs": row.pairs.replace(" ", ", ") + (f"; positives of {row.positives}" if row.positives else ""),
        "positives": f"{words.criterion(row.threshold, row.comparison)} ({count(row.n_positive)})",
        "sentences": f"{row.sentences} ({count(row.n_sentences)})",
        "alignment": row.alignment,
        "alignment_low": row.alignment_low,
        "alignment_high": row.alignment_high,
        "uniformity": row.uniformity,
    }


def _published_line(entry: Mapping[str, Any], footnotes: Mapping[str, str]) -> dict[str, Any]:
    has_threshold = "threshold" in entry
    return {
        "block": str(entry["source"]),
        "encoder": entry["model"] + footnotes.get(entry.get("remark", ""), ""),
        "variant": words.VARIANTS[entry["variant"]],
        "pairs": entry["split"],
        "positives": words.criterion(entry["threshold"], entry["comparison"]) if has_threshold else MISSING,
        "sentences": "positives of the batch" if entry["variant"] == "per-batch" else MISSING,
        "alignment": float(entry["alignment"]),
        "alignment_low": math.nan,
        "alignment_high": math.nan,
        "uniformity": float(entry["uniformity"]),
    }


def _published_record(entry: Mapping[str, Any]) -> dict[str, Any]:
    same = {key: entry.get(key) for key in ("variant", "threshold", "comparison", "source", "remark")}
    values = {key: float(entry[key]) for key in ("alignment", "uniformity")}
    return {**same, **values, "model_title": entry["model"], "pairs": entry["split"]}


def _published_of(
    published: Sequence[Mapping[str, Any]], rows: Sequence[AlignmentRow]
) -> list[Mapping[str, Any]]:
    measured = [f" {row.pairs}" for row in rows if not is_sample(row.data_version)]
    return [entry for entry in published if any(f" {entry['benchmark']}-" in pairs for pairs in measured)]


def geometry(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Measure × encoder, a block for each family of sentences; Pearson's of corrected vectors is in the CSV alone."""
    rows = inputs.rows(GeometryRow)
    titles = {row.model: row.model_title for row in rows}
    lines: dict[tuple[str, str, str], dict[str, GeometryRow]] = {}
    for row in rows:
        if row.measure != "whitened-pearson":
            lines.setdefault((row.family, row.measure, row.pairs), {})[row.model] = row
    families = unique(row.family for row in rows)
    ordered = sorted(lines, key=lambda key: families.index(key[0]))

    def cell(model: str, line: Mapping[str, GeometryRow]) -> Cell:
        row = line.get(model)
        if row is None or math.isnan(row.value):
            return Cell(MISSING)
        if row.pairs:
            return Cell(words.hundred(row.value), value=row.value)
        limits = "" if math.isnan(row.low) else interval(row.low, row.high)
        return Cell(decimal(row.value), limits, value=row.value)

    def first(line: Mapping[str, GeometryRow]) -> GeometryRow:
        return next(iter(line.values()))

    widths = unique(f"{row.model_title} {row.dimension}" for row in rows)
    levels = [row.level for row in rows if not math.isnan(row.low)]
    return build(
        "geometry",
        f"{settings['caption']}: geometry of the embeddings.",
        GeometryRow,
        [lines[key] for key in ordered],
        [
            text("Measure", lambda line: words.geometry_name(first(line).measure, first(line).pairs), 3.6),
            text("Range", lambda line: "-100 to 100" if first(line).pairs else first(line).range, 2.0),
            *(marked(title, partial(cell, model)) for model, title in titles.items()),
        ],
        [
            f"Dimensions of the vectors: {', '.join(widths)}.",
            "Whitened: correlation × 100 of the cosines of vectors that were centred and whitened on the "
            "sentences of the family.",
            "Definitions and sources of the measures: docs/geometry.md. No measure is good or bad by itself, so "
            "nothing is marked.",
            *([f"In brackets {words.interval_of(levels[0])}, where a measure has one."] if levels else []),
            *unique(f"{row.family} × {row.model_title}: {row.warnings}" for row in rows if row.warnings),
        ],
        data=rows,
        records=rows,
        block=lambda line: first(line).family,
        title=lambda name, own: f"{name}: {count(first(own[0]).n_texts)} distinct sentences",
        block_heading="Sentences",
        lead=2,
    )
