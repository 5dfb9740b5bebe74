"""The table of the stages of a chain: what each reaches, and how it differs from the one before and the reference."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.stage_rows import StageRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval, p_number, percent, signed
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table

_Columns = Sequence[tuple[str, str]]
_Told = Callable[[StageRow], tuple[Cell, int] | None]
"""Of a row: a cell, and the seeds behind it; None where there is nothing to tell."""


def stages_table(rows: Sequence[StageRow], title: str) -> Table:
    """A line per stage, a column per question set and measure; a block per series, and one for each kind of test."""
    columns = list(dict.fromkeys((row.questions, row.measure) for row in rows))
    reference = [row for row in rows if not row.place]
    groups = [Group("", (_line(reference[0].series, reference, columns, _mean),))] if reference else []
    for series in unique(row.series for row in rows if row.is_mean):
        own = [row for row in rows if row.is_mean and row.series == series]
        groups.append(_group(series, own, columns, _mean))
        groups.append(_group(f"{series}, less the stage before", own, columns, _before))
        if reference:
            groups.append(_group(f"{series}, less {reference[0].series}", own, columns, _against))
    return table_of_cells(
        name="retrieval-stages",
        caption=f"{title}: retrieval stage by stage.",
        notes=tuple(filter(None, (data_note(rows) if rows else "", *_notes(rows)))),
        header=("Stage", "Seeds", *(f"{measure} on {name}" for name, measure in columns)),
        alignment=("w2.6", "r", *("c" for _ in columns)),
        groups=tuple(group for group in groups if group.rows),
        tidy_header=names_of(StageRow),
        tidy_rows=records_of(rows),
        lead=2,
    )


def _group(title: str, rows: Sequence[StageRow], columns: _Columns, told: _Told) -> Group:
    """The stages of which there is anything to tell."""
    stages = {row.place: f"{row.place} {row.stage}" for row in rows}
    members = {place: [row for row in rows if row.place == place and told(row)] for place in sorted(stages)}
    return Group(
        title, tuple(_line(stages[place], own, columns, told) for place, own in members.items() if own)
    )


def _line(name: str, rows: Sequence[StageRow], columns: _Columns, told: _Told) -> tuple[Cell, ...]:
    found = {(row.questions, row.measure): stated for row in rows if (stated := told(row))}
    seeds = max(n for _, n in found.values())
    cells = [found[column][0] if column in found else Cell("") for column in columns]
    return (Cell(name), Cell(count(seeds) if seeds else MISSING), *cells)


def _mean(row: StageRow) -> tuple[Cell, int]:
    return Cell(decimal(row.value), detail=interval(row.low, row.high)), row.n_seeds


def _before(row: StageRow) -> tuple[Cell, int] | None:
    cell = _difference(row.before, row.before_low, row.before_high, row.before_p)
    return (cell, row.before_seeds or row.n_seeds) if cell else None


def _against(row: StageRow) -> tuple[Cell, int] | None:
    cell = _difference(row.reference, row.reference_low, row.reference_high, row.reference_p)
    return (cell, row.reference_seeds or row.n_seeds) if cell else None


def _difference(value: float, low: float, high: float, p: float) -> Cell | None:
    if math.isnan(value):
        return None
    return Cell(f"{signed(value)}; {p_number(p)}", detail=interval(low, high))


def _notes(rows: Sequence[StageRow]) -> list[str]:
    if not rows:
        return ["No retriever of the stages was measured."]
    sizes = {row.questions: f"{row.questions} {count(row.n_questions)}" for row in rows}
    several = any(row.n_seeds > 1 for row in rows)
    level = percent(rows[0].level)
    main = next((row.measure for row in rows if row.is_main), "")
    return [
        words.MEASURES_NOTE,
        f"Questions: {', '.join(sizes.values())}.",
        f"In brackets {level} intervals. With one seed, or where nothing was trained, for {words.QUESTIONS} (means: "
        f"{words.BY_QUESTIONS}; differences: t)"
        + (
            "; with several, mean over seeds, for these and new seeds (two-way analysis of variance; two trained "
            "stages seed by seed)."
            if several
            else "."
        ),
        "Nothing is said of new documents or other collections"
        + ("; with one seed, nothing of other seeds." if any(row.n_seeds == 1 for row in rows) else "."),
        f"Differences are of {main}; behind them p, by Holm over all tests of a question set in this table. Their "
        "intervals are not adjusted. Without p there is no test."
        if main
        else "",
    ]


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`stages_table` of the files of an experiment."""
    return stages_table(inputs.rows(StageRow, may_be_empty=True), settings["caption"])
