"""Rule summarise_stages: means, tests and seeds of the retrievers of a chain → a row per stage."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.compare.question_rows import QuestionDifference, SeedRow
from sentflow.files.rows import read_rows, write_rows
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.stage_rows import StageRow
from sentflow.report.families.retrieval.stage_summary import stage_rows

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--summary", type=Path, required=True, help="means of all retrievers")
    parser.add_argument("--differences", type=Path, required=True, help="tests of pairs of retrievers")
    parser.add_argument("--seeds", type=Path, required=True, help="retrievers with several seeds")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"stages": [{"title", "retrievers"}], "series", "measures", "reference", "families": name → seed → '
        "retriever}",
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, put in order, write."""
    rows = stage_rows(
        read_rows(args.summary, RetrievalRow),
        read_rows(args.seeds, SeedRow, may_be_empty=True),
        read_rows(args.differences, QuestionDifference, may_be_empty=True),
        json.loads(args.settings),
    )
    write_rows(args.output, StageRow, rows)
    logger.info("%d rows of stages", len(rows))


if __name__ == "__main__":
    exit_with(main)
