"""What the page shows of published numbers."""

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from sentflow.ledger.verdicts import NOT_RUN, VERDICTS, LedgerRow
from sentflow.report.families.ledger.tables import MARKS, ours
from sentflow.report.numbers import decimal
from sentflow.report.page.draw import h, joined, scrolled
from sentflow.report.page.sources import Report, Section, Sources
from sentflow.report.rows import unique

_RUN = "run here"


def report(sources: Sources) -> Report | None:
    """The ledger; None where the table was not selected."""
    if LedgerRow.FILE not in {file.stem for file in sources.inputs.files}:
        return None
    rows = sources.inputs.rows(LedgerRow)
    n = Counter(row.verdict for row in rows)
    outcomes = ", ".join(f"{n[verdict]} {verdict}" for verdict in VERDICTS if verdict != NOT_RUN)
    finding = f"{len(rows) - n[NOT_RUN]:,} of {len(rows):,} published numbers were run here: {outcomes}."
    return Report([Section("ledger", "Published numbers", finding, _overview(rows, n), "ledger")], [], [])


def _overview(rows: Sequence[LedgerRow], n: Counter[str]) -> Markup:
    """Every printed number beside ours, and a choice of verdicts, which needs no script."""
    counts = {_RUN: len(rows) - n[NOT_RUN], **{verdict: n[verdict] for verdict in VERDICTS}, "all": len(rows)}
    choice = '<label><input type="radio" name="verdict" value="{}"{}>{} ({:,})</label>'
    choices = joined(
        h(choice, verdict, Markup(" checked") if verdict == _RUN else "", verdict, count)
        for verdict, count in counts.items()
    )
    head = joined(
        h('<th scope="col">{}</th>', name) for name in ("Published number", "Printed", "Ours", "Verdict")
    )
    bodies = joined(
        h(
            '<tbody><tr><th scope="rowgroup" colspan="4">{}</th></tr>{}</tbody>',
            system,
            joined(_line(row) for row in rows if row.system == system),
        )
        for system in unique(row.system for row in rows)
    )
    table = h('<table class="words"><thead><tr>{}</tr></thead>{}</table>', head, bodies)
    fieldset = h('<fieldset class="shade"><legend class="vh">Verdict</legend>{}</fieldset>', choices)
    return h('<div class="ledger">{}{}</div>', fieldset, scrolled("Published numbers and ours", table))


def _line(row: LedgerRow) -> Markup:
    _, value, limits = ours(row)
    return h(
        '<tr class="v{}"><th scope="row">{}, {} <small>{}</small></th>'
        "<td>{}</td><td>{} <small>{}</small></td><td>{} {}</td></tr>",
        VERDICTS.index(row.verdict), row.row, row.column, row.source, decimal(row.printed, row.digits), value, limits,
        MARKS[row.verdict], row.verdict,
    )  # fmt: skip
