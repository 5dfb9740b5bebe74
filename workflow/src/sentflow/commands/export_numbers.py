"""Every score → LaTeX macros for the text of a paper."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.exports.macros import macros
from sentflow.files.io import write_text
from sentflow.jobs.log import exit_with, start_log
from sentflow.report.families.probing.rows import ScoreRow
from sentflow.report.rows import read_rows

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="python -m sentflow.commands.export_numbers", description=__doc__)
    found.add_argument("--summary", type=Path, required=True, help="summary of scores")
    found.add_argument("--title", required=True, help="of the experiment")
    found.add_argument("--output", type=Path, required=True, help=".tex")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("export_numbers", args, libraries=["pyarrow"])
    rows = read_rows(args.summary, ScoreRow)
    write_text(args.output, macros(rows, title=args.title))
    logger.info("numbers of %d scores", len(rows))
    return 0


if __name__ == "__main__":
    exit_with(main)
