"""Rule prepare_training: the raw files of training data into their table, with counts of what was left out."""

import argparse
import json
from pathlib import Path

from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.log import command, exit_with
from sentflow.training.data.prepare import Preparation
from sentflow.training.data.settings import TrainingDataSettings
from sentflow.training.data.table import write_parts


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--data", required=True, help="name in the catalog")
    parser.add_argument(
        "--raw", type=Path, nargs="+", required=True, help="files, each in the folder of its dataset"
    )
    parser.add_argument("--settings", required=True, help="JSON: the entry, with its sources written out")
    parser.add_argument(
        "--checks", default="{}", help="JSON: what changes no byte of the table: rows, files by dataset"
    )
    add_limits(parser)
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, choose, check and write the table, a part at a time."""
    use_limits(args)
    entry = {**json.loads(args.settings), **json.loads(args.checks)}
    settings = TrainingDataSettings.from_settings(entry, data=args.data)
    preparation = Preparation(args.data, settings)
    write_parts(args.output, preparation.parts(args.raw), preparation.facts)


if __name__ == "__main__":
    exit_with(main)
