"""Write sample data: a task as a CSV in the form of the official files, a pair set as a TSV, files of a collection."""

import argparse
import logging
from pathlib import Path

from sentflow.files.io import write_text
from sentflow.jobs.log import command, exit_with
from sentflow.texts.sample import collection, pairs, training
from sentflow.texts.sample.rows import to_csv
from sentflow.texts.sample.tasks import generate

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--task",
        required=True,
        help="official id of the task, e.g. T1A, or a pair set, e.g. STS12, or a file, e.g. laws-corpus",
    )
    parser.add_argument("--seed", type=int, required=True, help="root of the random choices")
    parser.add_argument("--output", type=Path, required=True, help="file to write")


@command(arguments, libraries=["numpy"])
def main(args: argparse.Namespace) -> None:
    """Generate the rows and write them."""
    if args.task in pairs.RECIPES:
        sample = pairs.generate_pairs(args.task, seed=args.seed)
        text, n_rows = pairs.to_tsv(sample), len(sample)
    elif args.task in collection.FILES:
        text = collection.collection_file(args.task, seed=args.seed)
        n_rows = text.count("\n")
    elif args.task in training.FILES:
        text = training.training_file(args.task, seed=args.seed)
        n_rows = text.count("\n")
    else:
        rows = generate(args.task, seed=args.seed)
        text, n_rows = to_csv(rows), len(rows)
    write_text(args.output, text)
    logger.info("%s: %d rows of sample data in %s", args.task, n_rows, args.output)


if __name__ == "__main__":
    exit_with(main)
