"""The table of geometry: what encoders make of the space of sentences."""

import math
from collections.abc import Sequence

from sentflow.report.families.geometry.rows import GeometryRow
from sentflow.report.families.similarity import words
from sentflow.report.numbers import MISSING, count, decimal, interval
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table


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
        data_note(rows),
        f"Dimensions of the vectors: {', '.join(widths)}.",
        "Whitened: correlation × 100 of the cosines of vectors that were centred and whitened on the "
        "sentences of the "
        "family.",
        "Definitions and sources of the measures: docs/geometry.md. No measure is good or bad by itself, so "
        "nothing is marked.",
        *([f"In brackets {words.interval_of(known[0])}, where a measure has one."] if known else []),
        *unique(f"{row.family} × {row.model_title}: {row.warnings}" for row in rows if row.warnings),
    ]
    return table_of_cells(
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


table = made_of(GeometryRow, geometry_table)
