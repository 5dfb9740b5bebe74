"""The table of intervals: what each interval of a score answers."""

import math
from collections.abc import Sequence

from sentflow.compare.comparisons import Comparisons, detectable
from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.score_table import score_cell
from sentflow.report.numbers import MISSING, count, decimal, interval, percent
from sentflow.report.rows import unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of
from sentflow.report.table.maker import made_of


def intervals_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons | None = None) -> Table:
    """Repeatability, generalisation and, where predictions were resampled, the item-level interval of every score."""
    items = any(not math.isnan(row.item_low) for row in rows)
    clipped = not all(row.clips for row in rows)
    pairs = comparisons.pairs if comparisons else []
    groups = []
    for task in unique(row.task for row in rows):
        members = [row for row in rows if row.task == task]
        first = members[0]
        mdd = detectable(pairs, task)
        known = "" if math.isnan(mdd) else f", MDD {decimal(mdd)}"
        heading = (
            f"{task}: {first.task_title} ({captions.metric_name(first.metric)}, n = "
            f"{count(first.n_balanced_rows)}"
            f"{known})"
        )
        lines = []
        for row in members:
            line = list(_interval_line(row))
            if items:
                line.insert(4, _item_cell(row))
            lines.append((*line, Cell(decimal(row.mean_clipped))) if clipped else tuple(line))
        groups.append(Group(heading, tuple(lines)))
    notes = [
        captions.data_note(rows),
        captions.design_note(rows),
        f"Repeatability ({percent(rows[0].repeatability_level)}): {captions.REPEATABILITY}.",
        f"Generalisation ({percent(rows[0].level)}): {captions.generalisation(rows)}.",
        "Ratio: width of the second divided by width of the first; their levels differ.",
        "Limits are cut to the range of the metric; the CSV file has the computed values.",
        "n: rows left when all classes are cut to the size of the smallest.",
    ]
    if items:
        drawn = "documents" if any(row.item_grouped for row in rows) else "texts"
        notes.append(
            f"Item-level ({percent(rows[0].level)}): {captions.ITEM_LEVEL}; {drawn} are drawn."
            + (" For rows without a document, texts are drawn." if drawn == "documents" else "")
        )
    if pairs:
        notes.append(captions.detectable_note(pairs[0].alpha))
    notes += remarks.held_back_notes(rows)
    if any(row.degenerate for row in rows):
        notes.append(captions.DEGENERATE)
    if clipped:
        notes.append(
            "Clipped: the mean if fold scores below 0 counted as 0, as under the published protocol."
        )
    return Table(
        name="intervals",
        caption=f"{title}: both intervals of every score.",
        notes=tuple(notes),
        header=(
            *("Encoder", "Score", "Repeatability", "Generalisation"),
            *(("Item-level",) if items else ()),
            *("Ratio",),
            *(("Clipped",) if clipped else ()),
        ),
        alignment=("w4.2", "r", "c", "c", *(("c",) if items else ()), "r", *(("r",) if clipped else ())),
        groups=tuple(groups),
        tidy_header=names_of(ScoreRow),
        tidy_rows=records_of(rows),
    )


def _interval_line(row: ScoreRow) -> tuple[Cell, ...]:
    score = score_cell(row)
    if row.degenerate or math.isnan(row.mean):
        return (Cell(row.model_title), Cell(score.text), Cell(MISSING), Cell(MISSING), Cell(MISSING))
    narrow = row.repeatability_high - row.repeatability_low
    wide = row.generalisation_high - row.generalisation_low
    return (
        Cell(row.model_title),
        Cell(score.text),
        Cell(interval(*row.shown_repeatability)),
        Cell(score.detail),
        Cell(decimal(wide / narrow, 1) if narrow > 0 else MISSING),
    )


def _item_cell(row: ScoreRow) -> Cell:
    """A number of its own: all predictions together are not scored as fold by fold."""
    if row.degenerate or math.isnan(row.item_low):
        return Cell(MISSING)
    return Cell(decimal(row.item_mean), interval(*row.shown_items))


table = made_of(ScoreRow, intervals_table, Comparisons)
