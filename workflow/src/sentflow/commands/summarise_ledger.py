"""Published numbers and the summaries of a run -> one verdict per number."""

import argparse
import logging
from collections import Counter
from pathlib import Path

from sentflow.config.load import read_yaml
from sentflow.files.rows import write_rows
from sentflow.jobs.log import command, exit_with
from sentflow.ledger.answers import Answers
from sentflow.ledger.claims import claims_of
from sentflow.ledger.verdicts import VERDICTS, LedgerRow, ledger_rows

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--catalog", nargs="+", type=Path, required=True, help="files of claims, and ledger.yaml"
    )
    parser.add_argument("--summary", nargs="*", type=Path, default=[], help="summaries that answer claims")
    parser.add_argument("--output", type=Path, required=True, help="Parquet file to write")


@command(arguments, libraries=["pyarrow", "pyyaml"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    catalog = {file.stem: read_yaml(file) for file in args.catalog}
    answers = Answers(args.summary, catalog["published_training"])
    rows = ledger_rows(claims_of(catalog), catalog["ledger"], answers)
    write_rows(args.output, LedgerRow, rows)
    found = Counter(row.verdict for row in rows)
    logger.info("%d claims: %s", len(rows), ", ".join(f"{found[verdict]} {verdict}" for verdict in VERDICTS))


if __name__ == "__main__":
    exit_with(main)
