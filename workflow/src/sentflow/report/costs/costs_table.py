"""The table of costs: time and memory per rule."""

from collections.abc import Sequence

from sentflow.report.costs.rows import CostRow
from sentflow.report.numbers import MISSING, count, duration, memory
from sentflow.report.rows import data_note
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table


def costs_table(rows: Sequence[CostRow], title: str) -> Table:
    """Time and memory per rule, the longest first."""
    ordered = sorted(rows, key=lambda row: (-row.wall_seconds, row.rule))
    notes = [
        data_note(rows),
        "Times are sums over jobs; jobs that ran in parallel took less wall-clock time. Start "
        "and end are UTC, from the "
        "dates of the benchmark files; for jobs that ran again, the last run counts.",
    ]
    unmeasured = sum(row.unmeasured_jobs for row in rows)
    if unmeasured:
        notes.append(
            f"{count(unmeasured)} of {count(sum(row.jobs for row in rows))} jobs ended before their "
            "CPU time and memory could be measured."
        )
    return table_of_cells(
        name="costs",
        caption=f"{title}: time and memory per rule.",
        notes=tuple(notes),
        header=("Rule", "Jobs", "Time", "CPU time", "Largest memory", "First start", "Last end"),
        alignment=("l", "r", "r", "r", "r", "l", "l"),
        groups=(Group("", tuple(_cost_line(row) for row in ordered)),),
        tidy_header=names_of(CostRow),
        tidy_rows=records_of(ordered),
    )


def _cost_line(row: CostRow) -> tuple[Cell, ...]:
    return (
        Cell(row.rule),
        Cell(count(row.jobs)),
        Cell(duration(row.wall_seconds)),
        Cell(duration(row.cpu_seconds)),
        Cell(memory(row.max_rss_mb)),
        Cell(row.started or MISSING),
        Cell(row.ended or MISSING),
    )


table = made_of(CostRow, costs_table)
