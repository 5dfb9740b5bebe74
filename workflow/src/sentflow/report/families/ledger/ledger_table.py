"""The ledger as a table: every published number, ours, and a verdict."""

from collections import Counter
from collections.abc import Sequence

from sentflow.ledger.verdicts import EQUAL, NOT_RUN, OUTSIDE, VERDICTS, WITHIN, LedgerRow
from sentflow.report.numbers import MISSING, counted, decimal, signed
from sentflow.report.rows import unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table

_MARKS = {EQUAL: "✓", WITHIN: "≈", OUTSIDE: "✗", NOT_RUN: MISSING}


def ledger_table(rows: Sequence[LedgerRow], title: str) -> Table:
    """A block per group of claims of which some were run, a line per printed number; then a line per other group.

    The tidy records hold every claim.
    """
    run = {row.system for row in rows if row.verdict != NOT_RUN}
    shown = [row for row in rows if row.system in run]
    others = Counter(row.system for row in rows if row.system not in run)
    footnotes = {text: n for n, text in enumerate(unique(row.remark for row in shown if row.remark), 1)}
    groups = [
        Group(system, tuple(_line(row, footnotes) for row in shown if row.system == system))
        for system in unique(row.system for row in shown)
    ]
    if others:
        lines = (_line_of_others(system, number) for system, number in others.items())
        groups.append(Group("Not run; each number is in the CSV file", tuple(lines)))
    found = Counter(row.verdict for row in rows)
    notes = (
        f"{len(rows)} claims: {', '.join(f'{found[verdict]} {verdict}' for verdict in VERDICTS)}. "
        f"{_MARKS[EQUAL]} equal: within half a unit of the last printed digit. {_MARKS[WITHIN]} within the tolerance "
        f"of the catalog, for the reason that it gives. {_MARKS[OUTSIDE]} outside it. {_MARKS[NOT_RUN]} not run here.",
        "Printed and ours are on the scale of the source. In brackets the interval of ours for new pairs or new "
        "questions; a mean over seeds or sets has none. Reductions of published sweeps are chosen again from the "
        "published cells: they show that the source's rule was understood, not that its trainings were repeated.",
        "Effect ratio: of a difference between two systems, ours over the printed one; 1 is the same.",
        *_odd_notes(rows),
        *_tolerance_notes(rows),
        *_missing_notes(rows),
        *(f"({number}) {text}" for text, number in footnotes.items()),
    )
    return table_of_cells(
        name="ledger",
        caption=f"{title}: published numbers and ours.",
        notes=notes,
        header=(
            *(
                "Row",
                "Column",
                "Verdict",
                "Printed",
                "Ours",
                "Difference",
                "Tolerance",
                "Effect ratio",
                "Source",
            ),
        ),
        alignment=("w3.6", "w1.8", "c", "r", "r", "r", "r", "r", "w3.6"),
        groups=tuple(groups),
        tidy_header=names_of(LedgerRow),
        tidy_rows=records_of(rows),
    )


def _line(row: LedgerRow, footnotes: dict[str, int]) -> tuple[Cell, ...]:
    number = f" ({footnotes[row.remark]})" if row.remark else ""
    more = row.digits + 1  # one digit more than printed shows how near the edge of equal it is
    known = row.low == row.low
    limits = f"[{decimal(row.low, row.digits)}, {decimal(row.high, row.digits)}]" if known else ""
    return (
        Cell(row.row + number),
        Cell(row.column),
        Cell(_MARKS[row.verdict]),
        Cell(decimal(row.printed, row.digits)),
        Cell(decimal(row.ours, more), limits),
        Cell(signed(row.difference, more)),
        Cell(f"{row.tolerance:g}"),
        Cell(decimal(row.effect_ratio, 2)),
        Cell(row.source),
    )


def _line_of_others(system: str, number: int) -> tuple[Cell, ...]:
    return (Cell(system), Cell(counted(number, "number")), *[Cell(MISSING)] * 7)


def _odd_notes(rows: Sequence[LedgerRow]) -> list[str]:
    odd = [
        f"{row.row}, {row.column} ({row.source}): {decimal(row.printed, row.digits)}, consistent "
        f"{decimal(row.consistent, row.digits)}"
        for row in rows
        if row.consistent == row.consistent
    ]
    return [f"Printed numbers that do not go with the others of their row: {'; '.join(odd)}."] if odd else []


def _tolerance_notes(rows: Sequence[LedgerRow]) -> list[str]:
    return unique(f"Tolerance of {row.system}: {row.tolerance:g}. {row.reason}" for row in rows if row.reason)


def _missing_notes(rows: Sequence[LedgerRow]) -> list[str]:
    return unique(
        f"Not run of {row.system}: needs {row.missing}."
        + (f" Configuration: {row.experiment}." if row.experiment else "")
        + (f" It takes {row.takes}." if row.takes else "")
        for row in rows
        if row.verdict == NOT_RUN
    )


table = made_of(LedgerRow, ledger_table)
