"""Write the sample data of one task as a CSV in the form of the official files, or of one pair set as a TSV."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import write_text
from sentflow.jobs.log import exit_with, start_log
from sentflow.texts.sample import pairs
from sentflow.texts.sample.rows import to_csv
from sentflow.texts.sample.tasks import generate

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = argparse.ArgumentParser(prog="python -m sentflow.commands.generate", description=__doc__)
    arguments.add_argument(
        "--task", required=True, help="official id of the task, e.g. T1A, or a pair set, e.g. STS12"
    )
    arguments.add_argument("--seed", type=int, required=True, help="seed of the random choices")
    arguments.add_argument("--output", type=Path, required=True, help="file to write")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Generate the rows and write them."""
    args = parser().parse_args(argv)
    start_log("generate", args, libraries=["numpy"])
    if args.task in pairs.RECIPES:
        sample = pairs.generate_pairs(args.task, seed=args.seed)
        text, n_rows = pairs.to_tsv(sample), len(sample)
    else:
        rows = generate(args.task, seed=args.seed)
        text, n_rows = to_csv(rows), len(rows)
    write_text(args.output, text)
    logger.info("%s: %d rows of sample data in %s", args.task, n_rows, args.output)
    return 0


if __name__ == "__main__":
    exit_with(main)
