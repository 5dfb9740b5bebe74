"""The tables of alignment and uniformity, and of the other measures of geometry."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report import captions
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import AlignmentRow, GeometryRow
from sentflow.report.numbers import MISSING, count, decimal, interval
from sentflow.report.rows import is_sample, unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of


def alignments_table(
    rows: Sequence[AlignmentRow], title: str, published: Sequence[Mapping[str, Any]] = ()
) -> Table:
    """Every value with its variant, split, threshold and comparison; published ones below.

    Parameters
    ----------
    published
        Entries of ``catalog/published_similarity.yaml``, key ``alignments``; those of benchmarks that we measured, too.
    """
    entries = _published_of(published, rows)
    footnotes = {text: n for n, text in enumerate(unique(e["remark"] for e in entries if "remark" in e), 1)}
    groups = [
        Group(
            f"{name}: {next(row.alignment_title for row in rows if row.alignment_set == name)}",
            tuple(_our_line(row) for row in rows if row.alignment_set == name),
        )
        for name in unique(row.alignment_set for row in rows)
    ]
    for source in unique(str(entry["source"]) for entry in entries):
        lines = tuple(_published_line(entry, footnotes) for entry in entries if entry["source"] == source)
        groups.append(Group(f"Published: {source}", lines))
    notes = [captions.data_note(rows), *words.variant_notes(rows)]
    known = [row.level for row in rows if not math.isnan(row.alignment_low)]
    if known:
        notes.append(f"In brackets {words.interval_of(known[0])} of a bootstrap over the positive pairs.")
    notes.append(
        "Positives: gold score and number of pairs. Sentences: what uniformity is taken over, and how many."
    )
    if entries:
        notes.append("Published values are as their sources print them. A dash: not stated.")
    notes += [f"({number}) {text}" for text, number in footnotes.items()]
    notes += unique(
        f"{row.alignment_set} × {row.model_title}: {row.warnings}" for row in rows if row.warnings
    )
    return Table(
        name="alignments",
        caption=f"{title}: alignment and uniformity.",
        notes=tuple(notes),
        header=("Encoder", "Variant", "Pairs", "Positives", "Sentences", "Alignment", "Uniformity"),
        alignment=("w3.4", "w2.5", "w2.1", "w1.8", "w1.8", "r", "r"),
        groups=tuple(groups),
        tidy_header=(*names_of(AlignmentRow), "source", "remark"),
        tidy_rows=(
            *((*record, "this experiment", "") for record in records_of(rows)),
            *(_published_record(entry) for entry in entries),
        ),
    )


def geometry_table(rows: Sequence[GeometryRow], title: str) -> Table:
    """Measure × encoder, a group for each family of sentences."""
    models = unique(row.model for row in rows)
    titles = {row.model: row.model_title for row in rows}
    groups = []
    for family in unique(row.family for row in rows):
        members = [row for row in rows if row.family == family]
        # Pearson's correlation of corrected vectors is in the CSV
        keys = [k for k in dict.fromkeys((r.measure, r.pairs) for r in members) if k[0] != "whitened-pearson"]
        lines = tuple(
            _geometry_line([r for r in members if (r.measure, r.pairs) == key], models) for key in keys
        )
        groups.append(Group(f"{family}: {count(members[0].n_texts)} distinct sentences", lines))
    widths = unique(f"{row.model_title} {row.dimension}" for row in rows)
    known = [row.level for row in rows if not math.isnan(row.low)]
    notes = [
        captions.data_note(rows),
        f"Dimensions of the vectors: {', '.join(widths)}.",
        "Whitened: correlation × 100 of the cosines of vectors that were centred and whitened on the sentences of the "
        "family.",
        "What each measure is, and where it comes from: docs/geometry.md. No measure is good or bad by itself, so "
        "nothing is marked.",
        *([f"In brackets {words.interval_of(known[0])}, where a measure has one."] if known else []),
        *unique(f"{row.family} × {row.model_title}: {row.warnings}" for row in rows if row.warnings),
    ]
    return Table(
        name="geometry",
        caption=f"{title}: geometry of the embeddings.",
        notes=tuple(notes),
        header=("Measure", "Range", *(titles[model] for model in models)),
        alignment=("w3.6", "w2.0", *["c"] * len(models)),
        groups=tuple(groups),
        tidy_header=names_of(GeometryRow),
        tidy_rows=records_of(rows),
        lead=2,
    )


def _our_line(row: AlignmentRow) -> tuple[Cell, ...]:
    pairs = row.pairs.replace(" ", ", ") + (f"; positives of {row.positives}" if row.positives else "")
    batch = f", batches of {row.batch}" if row.batch else ""
    return (
        Cell(row.model_title),
        Cell(words.VARIANTS.get(row.variant, row.variant) + batch),
        Cell(pairs),
        Cell(f"{words.criterion(row.threshold, row.comparison)} ({count(row.n_positive)})"),
        Cell(f"{row.sentences} ({count(row.n_sentences)})"),
        Cell(
            decimal(row.alignment, 4),
            "" if math.isnan(row.alignment_low) else interval(row.alignment_low, row.alignment_high),
        ),
        Cell(decimal(row.uniformity, 4)),
    )


def _published_line(entry: Mapping[str, Any], footnotes: Mapping[str, int]) -> tuple[Cell, ...]:
    number = footnotes.get(entry.get("remark", ""))
    known = "threshold" in entry
    return (
        Cell(entry["model"] + (f" ({number})" if number else "")),
        Cell(words.VARIANTS[entry["variant"]]),
        Cell(entry["split"]),
        Cell(words.criterion(entry["threshold"], entry["comparison"]) if known else MISSING),
        Cell("positives of the batch" if entry["variant"] == "per-batch" else MISSING),
        Cell(decimal(float(entry["alignment"]), 4)),
        Cell(decimal(float(entry["uniformity"]), 4)),
    )


def _published_record(entry: Mapping[str, Any]) -> tuple[str | int | float | bool | None, ...]:
    known: dict[str, Any] = {
        "model_title": entry["model"],
        "variant": entry["variant"],
        "pairs": entry["split"],
        "threshold": entry.get("threshold"),
        "comparison": entry.get("comparison"),
        "alignment": float(entry["alignment"]),
        "uniformity": float(entry["uniformity"]),
    }
    return (*(known.get(name) for name in names_of(AlignmentRow)), entry["source"], entry.get("remark"))


def _published_of(
    published: Sequence[Mapping[str, Any]], rows: Sequence[AlignmentRow]
) -> list[Mapping[str, Any]]:
    measured = [row.pairs for row in rows if not is_sample(row.data_version)]
    return [
        entry
        for entry in published
        if any(f" {pairs}".find(f" {entry['benchmark']}-") >= 0 for pairs in measured)
    ]


def _geometry_line(rows: Sequence[GeometryRow], models: Sequence[str]) -> tuple[Cell, ...]:
    first = rows[0]
    of_model = {row.model: row for row in rows}
    cells = []
    for model in models:
        row = of_model.get(model)
        if row is None or math.isnan(row.value):
            cells.append(Cell(MISSING))
        elif row.pairs:
            cells.append(Cell(words.hundred(row.value)))
        else:
            cells.append(Cell(decimal(row.value), "" if math.isnan(row.low) else interval(row.low, row.high)))
    told = "-100 to 100" if first.pairs else first.range
    return (Cell(words.geometry_name(first.measure, first.pairs)), Cell(told), *cells)
