"""Every score → LaTeX macros for the text of a paper."""

import argparse
import logging
from pathlib import Path

from sentflow.compare.score_rows import ScoreRow
from sentflow.exports.macros import macros
from sentflow.files.io import write_text
from sentflow.files.rows import read_rows
from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--summary", type=Path, required=True, help="summary of scores")
    parser.add_argument("--title", required=True, help="of the experiment")
    parser.add_argument("--output", type=Path, required=True, help=".tex")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    rows = read_rows(args.summary, ScoreRow)
    write_text(args.output, macros(rows, title=args.title))
    logger.info("numbers of %d scores", len(rows))


if __name__ == "__main__":
    exit_with(main)
