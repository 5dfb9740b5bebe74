"""Rule summarise_questions: values of every question → curves of recall, and differences from the reference."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--rows", nargs="+", type=Path, required=True, help="values per question")
    parser.add_argument("--differences", type=Path, required=True, help="tests of pairs of retrievers")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"question_sets", "retrievers": titles, "order": [question sets, retrievers], "main", '
        '"reference", "depth", "level", "n_resamples", "seed"}',
    )
    parser.add_argument("--recall", type=Path, required=True, help="output, .parquet")
    parser.add_argument("--gaps", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, put in order, write."""
    from sentflow.compare.question_rows import QuestionDifference
    from sentflow.files.rows import read_rows, write_rows
    from sentflow.report.families.retrieval.question_summary import gap_rows, recall_rows
    from sentflow.report.families.retrieval.rows import QuestionGapRow, RecallRow
    from sentflow.retrieval.results import read_values

    settings = json.loads(args.settings)
    values = [read_values(path) for path in args.rows]
    differences = read_rows(args.differences, QuestionDifference, may_be_empty=True)
    recalls, gaps = list(recall_rows(values, settings)), list(gap_rows(values, differences, settings))
    write_rows(args.recall, RecallRow, recalls)
    write_rows(args.gaps, QuestionGapRow, gaps)
    logger.info("%d points of recall, %d differences of questions", len(recalls), len(gaps))


if __name__ == "__main__":
    exit_with(main)
