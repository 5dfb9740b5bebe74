"""What the page shows of published numbers."""

from collections import Counter

from sentflow.ledger.verdicts import NOT_RUN, VERDICTS, LedgerRow
from sentflow.report.page.sources import Part, Section, Sources


def section(sources: Sources) -> Section | None:
    """The ledger; None where the table was not selected."""
    if LedgerRow.FILE not in {file.stem for file in sources.inputs.files}:
        return None
    rows = sources.inputs.rows(LedgerRow)
    found = Counter(row.verdict for row in rows)
    folder = "families/ledger/page"
    return Section(
        name="ledger",
        shown={
            "n": len(rows),
            "n_run": len(rows) - found[NOT_RUN],
            "verdicts": [(verdict, found[verdict]) for verdict in VERDICTS],
        },
        tab="Ledger",
        summary=f"{folder}/summary.html.j2",
        results=(Part("ledger", "Published numbers", f"{folder}/results.html.j2"),),
        rows=(),
        encoders=(),
        findings=(),
        tables={"ledger": sources.table("ledger")},
        datasets=(),
    )
