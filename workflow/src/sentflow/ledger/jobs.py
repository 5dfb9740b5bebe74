"""The job of the ledger."""

import logging
from collections import Counter
from collections.abc import Sequence

from sentflow.errors import DataError
from sentflow.jobs.job import In, Json, Out, job

logger = logging.getLogger(__name__)


@job()
def summarise_ledger(*, catalog: Json, summaries: Sequence[In] = (), output: Out) -> None:
    """Published numbers and the summaries of a run → one verdict per number.

    Catalog: {file of the workflow: its SHA-256}.
    """
    from sentflow.config.entries import read_yaml
    from sentflow.files.io import file_sha256
    from sentflow.files.rows import write_rows
    from sentflow.flow.environment import workflow_folder
    from sentflow.ledger.answers import Answers
    from sentflow.ledger.claims import claims_of
    from sentflow.ledger.verdicts import VERDICTS, LedgerRow, ledger_rows

    files = {workflow_folder() / name: checksum for name, checksum in catalog.items()}
    if changed := [str(file) for file, checksum in files.items() if file_sha256(file) != checksum]:
        raise DataError(f"{', '.join(changed)}: not as when this run was planned. Run snakemake again.")
    claimed = {file.stem: read_yaml(file) for file in files}
    answers = Answers(summaries, claimed["published_training"])
    rows = ledger_rows(claims_of(claimed), claimed["ledger"], answers)
    write_rows(output, LedgerRow, rows)
    found = Counter(row.verdict for row in rows)
    logger.info("%d claims: %s", len(rows), ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS))
