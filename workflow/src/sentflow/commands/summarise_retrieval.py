"""Rule summarise_retrieval: results of all retrievers → one table of rows, of which tables and figures are made."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.rows import write_rows
from sentflow.files.sealed import read_sealed
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.summary import retrieval_rows

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--results", nargs="+", type=Path, required=True, help="results, .json")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"question_sets", "corpora", "retrievers": titles, "order": [question sets, retrievers], '
        '"measures", "main"}',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, put in order, write."""
    settings = json.loads(args.settings)
    rows = retrieval_rows(map(read_sealed, args.results), settings)
    write_rows(args.output, RetrievalRow, rows)
    logger.info("%d means of %d results", len(rows), len(args.results))


if __name__ == "__main__":
    exit_with(main)
