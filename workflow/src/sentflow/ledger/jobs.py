"""The job of the ledger."""

import logging
from collections import Counter
from collections.abc import Sequence

from sentflow.jobs.job import In, Out, job

logger = logging.getLogger(__name__)


@job()
def summarise_ledger(*, catalog: list[In], summaries: Sequence[In] = (), output: Out) -> None:
    """Published numbers and the summaries of a run → one verdict per number."""
    from sentflow.config.entries import read_yaml
    from sentflow.files.rows import write_rows
    from sentflow.ledger.answers import Answers
    from sentflow.ledger.claims import claims_of
    from sentflow.ledger.verdicts import VERDICTS, LedgerRow, ledger_rows

    claimed = {file.stem: read_yaml(file) for file in catalog}
    answers = Answers(summaries, claimed["published_training"])
    rows = ledger_rows(claims_of(claimed), claimed["ledger"], answers)
    write_rows(output, LedgerRow, rows)
    found = Counter(row.verdict for row in rows)
    logger.info("%d claims: %s", len(rows), ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS))
