"""Summaries and published numbers → a verdict on each number."""

from sentflow.families.ledger import ANSWERING

ledger_family = targets.families["ledger"]


job_rule(
    "summarise_ledger",
    dict(summaries=[file for file in targets.summaries if file in ANSWERING]),
    paths.SUMMARY_LEDGER,
    minutes=5,
    local=True,
    catalog=ledger_family.catalog,
)

# A run without the table has no ledger to make
if ledger_family.summaries:

    rule ledger:
        """The published numbers beside ours: the table in every format, and the page."""
        input:
            [
                file
                for file in targets.tables
                if file.startswith(f"{paths.RESULTS}/tables/ledger")
            ],
            targets.checked,
            paths.REPORT,
