"""Rule score_trainings: development scores of snapshots and summaries of tests → one row per number of a training."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.rows import read_rows, write_rows
from sentflow.files.sealed import read_sealed
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.geometry.rows import AlignmentRow
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.training.rows import TrainingRow
from sentflow.report.families.training.scores import Trained, development_rows, test_rows

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--development", nargs="*", type=Path, default=[], help="development scores, .json")
    parser.add_argument("--selections", nargs="+", type=Path, required=True, help="what was chosen, .json")
    parser.add_argument("--similarity", nargs="*", type=Path, default=[], help="summary of similarities")
    parser.add_argument("--alignments", nargs="*", type=Path, default=[], help="summary of alignments")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"models": {name: …}, "pairs": {name: {"column", "data_version"}}}',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    settings = json.loads(args.settings)
    pairs = settings["pairs"]
    chosen = {file.parent.name: read_sealed(file)["step"] for file in args.selections}
    trained = {name: Trained(name, chosen[name], **entry) for name, entry in settings["models"].items()}
    rows = [row for file in args.development for row in development_rows(read_sealed(file), trained, pairs)]
    similarity = [row for file in args.similarity for row in read_rows(file, SimilarityRow)]
    alignments = [row for file in args.alignments for row in read_rows(file, AlignmentRow)]
    rows += test_rows(similarity, alignments, trained, pairs)
    write_rows(args.output, TrainingRow, rows)
    logger.info("%d numbers of %d trainings", len(rows), len(trained))


if __name__ == "__main__":
    exit_with(main)
