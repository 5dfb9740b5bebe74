"""What the page shows of published numbers."""

from collections import Counter

from markupsafe import Markup

from sentflow.ledger.verdicts import NOT_RUN, VERDICTS, LedgerRow
from sentflow.report.page.sources import Report, Section, Sources


def report(sources: Sources) -> Report | None:
    """The ledger; None where the table was not selected."""
    if LedgerRow.FILE not in {file.stem for file in sources.inputs.files}:
        return None
    rows = sources.inputs.rows(LedgerRow)
    n = Counter(row.verdict for row in rows)
    outcomes = ", ".join(f"{n[verdict]} {verdict}" for verdict in VERDICTS if verdict != NOT_RUN)
    finding = f"{len(rows) - n[NOT_RUN]:,} of {len(rows):,} published numbers were run here: {outcomes}."
    return Report(
        [Section("ledger", "Published numbers", finding, Markup(""), "ledger", tables=("ledger",))], [], []
    )
