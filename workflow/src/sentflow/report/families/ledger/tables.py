"""The ledger as a table: every published number, ours, and a verdict; and its check."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sentflow.ledger.verdicts import EQUAL, NOT_RUN, OUTSIDE, VERDICTS, WITHIN, LedgerRow
from sentflow.report.checks import CheckResult, Selection
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, counted, decimal, signed
from sentflow.report.rows import unique
from sentflow.report.table.table import (
    Blocks,
    Cell,
    Column,
    Table,
    build,
    footnote_signs,
    footnotes,
    marked,
    number,
    text,
)

MARKS = {EQUAL: "✓", WITHIN: "≈", OUTSIDE: "✗", NOT_RUN: MISSING}
_NOT_RUN = "Not run; each number is in the CSV file"


def ledger(inputs: Inputs) -> Table:
    """A block per group of claims of which some were run, a line per printed number; then a line per other group.

    The records hold every claim.
    """
    rows = inputs.rows(LedgerRow)
    run = {row.system for row in rows if row.has_ours}
    shown = [row for row in rows if row.system in run]
    others = Counter(row.system for row in rows if row.system not in run)
    signs = footnote_signs(row.remark for row in shown)
    verdicts = Counter(row.verdict for row in rows)
    return build(
        "published numbers and ours.",
        LedgerRow,
        [*shown, *others.items()],
        [
            text("Row", _claim(lambda row: row.row + signs.get(row.remark, ""), lambda name, _: name), 3.6),
            text("Column", _claim(lambda row: row.column, lambda _, n: counted(n, "number")), 1.8),
            text("Verdict", _claim(lambda row: MARKS[row.verdict])),
            _number("Printed", lambda row: (row.printed, decimal(row.printed, row.digits), "")),
            _number("Ours", ours),
            _number("Difference", lambda row: (row.difference, signed(row.difference, row.digits + 1), "")),
            _number("Tolerance", lambda row: (row.tolerance, f"{row.tolerance:g}", "")),
            number("Effect ratio", _claim(lambda row: row.effect_ratio, lambda *_: None), decimal, 2),
            text("Source", _claim(lambda row: row.source), 3.6),
        ],
        [
            f"{len(rows)} claims: {', '.join(f'{verdicts[verdict]} {verdict}' for verdict in VERDICTS)}. "
            f"{MARKS[EQUAL]} within half a unit of the last printed digit; {MARKS[WITHIN]} within the tolerance of the "
            f"catalog; {MARKS[OUTSIDE]} outside it; {MARKS[NOT_RUN]} not run here.",
            "On the scale of the source. In brackets the interval of ours for new pairs or new questions. Ours without "
            "a verdict was chosen again from the published cells of a sweep. No training was repeated.",
            "Effect ratio: of a difference between two systems, ours over the printed one; 1 is the same.",
            *_further_notes(rows),
            *footnotes(signs),
        ],
        records=rows,
        blocks=Blocks(_claim(lambda row: row.system, lambda *_: _NOT_RUN), "Claims"),
    )


def _claim(
    read: Callable[[LedgerRow], Any], other: Callable[..., Any] = lambda *_: MISSING
) -> Callable[[Any], Any]:
    """What is read of a line that is a claim, or of the name and the size of a group of which nothing was run."""
    return lambda line: read(line) if isinstance(line, LedgerRow) else other(*line)


def _number(heading: str, read: Callable[[LedgerRow], tuple[float, str, str]]) -> Column:
    """A column of numbers with the digits of each claim: value, text and interval."""

    def cell(row: LedgerRow) -> Cell:
        value, written, detail = read(row)
        return Cell(written, detail, value=value)

    return marked(heading, _claim(cell, lambda *_: Cell(MISSING)))


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


_RULE = (
    "Every published number that was run again has the value that catalog/ledger.yaml expects, up to what differs "
    "between machines; one that moved needs a new entry with the commit and the reason."
)


def check_ledger(inputs: Inputs, _selection: Selection) -> CheckResult:
    """Compare what was run with what the catalog expects."""
    # a difference between two claims has no entry of its own, it moves with them
    run = [row for row in inputs.rows(LedgerRow) if row.has_ours and not row.is_difference]
    problems = [f"{row.name}: {row.ours:.6g}, expected {row.expected:.6g}" for row in run if row.moved]
    first = sum(row.expected != row.expected for row in run)
    return CheckResult("ledger", _RULE, {"claims": len(run), "claims_without_entry": first}, problems)
