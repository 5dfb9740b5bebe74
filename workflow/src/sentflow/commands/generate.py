"""Write the sample data of one task as a CSV in the form of the official files."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.data.sample.rows import to_csv
from sentflow.data.sample.tasks import generate
from sentflow.io import write_text
from sentflow.log import exit_with, start_log

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = argparse.ArgumentParser(prog="python -m sentflow.commands.generate", description=__doc__)
    arguments.add_argument("--task", required=True, help="official id of the task, e.g. T1A")
    arguments.add_argument("--seed", type=int, required=True, help="root of the random choices")
    arguments.add_argument("--output", type=Path, required=True, help="CSV to write")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Generate the rows and write them."""
    args = parser().parse_args(argv)
    start_log("generate", args, libraries=["numpy"])
    rows = generate(args.task, seed=args.seed)
    write_text(args.output, to_csv(rows))
    logger.info("%s: %d rows of sample data in %s", args.task, len(rows), args.output)
    return 0


if __name__ == "__main__":
    exit_with(main)
