"""The ledger as a table: every published number, ours, and a verdict."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.ledger.verdicts import EQUAL, NOT_RUN, OUTSIDE, VERDICTS, WITHIN, LedgerRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, counted, decimal, signed
from sentflow.report.rows import unique
from sentflow.report.table.table import Cell, Table, build, marked, number, text

MARKS = {EQUAL: "✓", WITHIN: "≈", OUTSIDE: "✗", NOT_RUN: MISSING}
_NOT_RUN = "Not run; each number is in the CSV file"


def ledger(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """A block per group of claims of which some were run, a line per printed number; then a line per other group.

    The records hold every claim.
    """
    rows = inputs.rows(LedgerRow)
    run = {row.system for row in rows if row.has_ours}
    shown = [row for row in rows if row.system in run]
    others = Counter(row.system for row in rows if row.system not in run)
    remarks = unique(row.remark for row in shown if row.remark)
    footnotes = {remark: f" ({place})" for place, remark in enumerate(remarks, 1)}
    verdicts = Counter(row.verdict for row in rows)
    return build(
        "ledger",
        f"{settings['caption']}: published numbers and ours.",
        LedgerRow,
        [*shown, *others.items()],
        [
            text("Row", lambda line: _row(line, footnotes), 3.6),
            text("Column", lambda line: line.column if _is_claim(line) else counted(line[1], "number"), 1.8),
            text("Verdict", lambda line: MARKS[line.verdict] if _is_claim(line) else MISSING),
            _number("Printed", lambda row: (row.printed, decimal(row.printed, row.digits), "")),
            _number("Ours", ours),
            _number("Difference", lambda row: (row.difference, signed(row.difference, row.digits + 1), "")),
            _number("Tolerance", lambda row: (row.tolerance, f"{row.tolerance:g}", "")),
            number("Effect ratio", lambda line: line.effect_ratio if _is_claim(line) else None, decimal, 2),
            text("Source", lambda line: line.source if _is_claim(line) else MISSING, 3.6),
        ],
        [
            f"{len(rows)} claims: {', '.join(f'{verdicts[verdict]} {verdict}' for verdict in VERDICTS)}. "
            f"{MARKS[EQUAL]} equal: within half a unit of the last printed digit. {MARKS[WITHIN]} within the "
            f"tolerance of the catalog, for the reason that it gives. {MARKS[OUTSIDE]} outside it. {MARKS[NOT_RUN]} "
            "not run here.",
            "Printed and ours are on the scale of the source. In brackets the interval of ours for new pairs or new "
            "questions; a mean over seeds or sets has none. Ours without a verdict was chosen again from the published "
            "cells of a sweep. No training was repeated.",
            "Effect ratio: of a difference between two systems, ours over the printed one; 1 is the same.",
            *_further_notes(rows),
            *(f"{sign.strip()} {remark}" for remark, sign in footnotes.items()),
        ],
        records=rows,
        block=lambda line: line.system if _is_claim(line) else _NOT_RUN,
        block_heading="Claims",
    )


def _is_claim(line: Any) -> bool:
    """Whether a line is a claim, and not a group of which nothing was run."""
    return isinstance(line, LedgerRow)


def _row(line: Any, footnotes: Mapping[str, str]) -> str:
    return line.row + footnotes.get(line.remark, "") if _is_claim(line) else str(line[0])


def _number(heading: str, read: Any) -> Any:
    """A column of numbers with the digits of each claim: value, text and interval."""

    def cell(line: Any) -> Cell:
        if not _is_claim(line):
            return Cell(MISSING)
        value, written, detail = read(line)
        return Cell(written, detail, value=None if value != value else value)

    return marked(heading, cell)


def ours(row: LedgerRow) -> tuple[float, str, str]:
    """Our value, as printed, and its interval."""
    has_limits = row.low == row.low
    limits = f"[{decimal(row.low, row.digits)}, {decimal(row.high, row.digits)}]" if has_limits else ""
    # one digit more than printed shows how near the edge of equal it is
    return row.ours, decimal(row.ours, row.digits + 1), limits


def _further_notes(rows: Sequence[LedgerRow]) -> Iterator[str]:
    odd = [
        f"{row.row}, {row.column} ({row.source}): {decimal(row.printed, row.digits)}, consistent "
        f"{decimal(row.consistent, row.digits)}"
        for row in rows
        if row.consistent == row.consistent
    ]
    if odd:
        yield f"Printed numbers that contradict their row: {'; '.join(odd)}."
    yield from unique(
        f"Tolerance of {row.system}: {row.tolerance:g}. {row.reason}" for row in rows if row.reason
    )
    yield from unique(
        f"Not run of {row.system}: needs {row.missing}."
        + (f" Configuration: {row.experiment}." if row.experiment else "")
        + (f" It takes {row.takes}." if row.takes else "")
        for row in rows
        if row.verdict == NOT_RUN
    )
