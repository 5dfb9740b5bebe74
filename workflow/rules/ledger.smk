"""Summaries and published numbers → a verdict on each number."""

from sentflow.families.ledger import ANSWERING

ledger_family = targets.families["ledger"]


rule summarise_ledger:
    """Every published number: equal, within tolerance, outside, or not run."""
    input:
        # of few kilobytes; their bytes decide, wherever the workflow lies
        catalog=ledger_family.catalog_files,
        summaries=[file for file in targets.summaries if file in ANSWERING],
    output:
        paths.SUMMARY_LEDGER,
    localrule: True
    resources:
        **asks("summarise_ledger", 5),
    params:
        **job_params("summarise_ledger"),
    shell:
        command("summarise_ledger")


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
