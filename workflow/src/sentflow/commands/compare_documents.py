"""Scores with documents kept together -> what is said of new documents: intervals and tests."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--scores", nargs="+", type=Path, required=True, help="score files; tables and predictions beside"
    )
    parser.add_argument("--rows", nargs="+", type=Path, required=True, help="the table of each task")
    parser.add_argument("--settings", required=True, help="JSON, as for compare")
    for name in ("summary", "pairs", "standings"):
        parser.add_argument(f"--{name}", type=Path, required=True, help="Parquet file to write")


@command(arguments, libraries=["numpy", "scipy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.compare.across import adjusted_over_tasks
    from sentflow.compare.rows import PairRow, StandingRow
    from sentflow.compare.score_rows import DocumentScore
    from sentflow.compare.task_files import scores_of_tasks
    from sentflow.compare.tasks import ComparisonSettings, compare_task
    from sentflow.files.rows import write_rows

    settings = json.loads(args.settings)
    rows, scores = scores_of_tasks(args.scores, args.rows, settings)
    comparisons = [compare_task(one) for one in scores]
    statistics = ComparisonSettings(**settings["statistics"])
    pairs = adjusted_over_tasks([pair for one in comparisons for pair in one.pairs], statistics)
    write_rows(args.summary, DocumentScore, rows)
    write_rows(args.pairs, PairRow, pairs)
    write_rows(args.standings, StandingRow, [row for one in comparisons for row in one.standings])
    logger.info("%d scores on new documents, %d pairs", len(rows), len(pairs))


if __name__ == "__main__":
    exit_with(main)
