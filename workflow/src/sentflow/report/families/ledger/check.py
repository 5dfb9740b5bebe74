"""The check of the ledger: no number that was run has moved without an entry."""

from sentflow.ledger.verdicts import LedgerRow
from sentflow.report.checks import CheckResult, Selection
from sentflow.report.inputs import Inputs

NAME = "ledger"
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
    return CheckResult(NAME, _RULE, {"claims": len(run), "claims_without_entry": first}, problems)
