"""Rule summarise_decisions: what all decisions are worth → one table of rows, of which a table is made."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.rows import write_rows
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.retrieval.decision_rows import DecisionRow
from sentflow.report.families.retrieval.decision_summary import decision_rows
from sentflow.retrieval.decision_files import read_worth

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--results", nargs="+", type=Path, required=True, help="results, .json")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"question_sets", "retrievers", "decisions": titles, "controls", '
        '"order": [question sets, [retriever, decision]]}',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, put in order, write."""
    results = [one for path in args.results for one in read_worth(path)]
    rows = decision_rows(results, json.loads(args.settings))
    write_rows(args.output, DecisionRow, rows)
    logger.info("%d means of %d results", len(rows), len(results))


if __name__ == "__main__":
    exit_with(main)
