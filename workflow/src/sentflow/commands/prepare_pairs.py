"""Rule prepare_pairs: the raw files of a pair set into its table."""

import argparse
import json
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.log import command, exit_with
from sentflow.texts.pairs import write_pairs
from sentflow.texts.prepare_pairs import PairSettings, prepare_pairs


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--pairs", required=True, help="name in the catalog")
    parser.add_argument("--raw", type=Path, nargs="+", required=True, help="files that the pair set needs")
    parser.add_argument("--settings", required=True, help="JSON: the pair set's entry in the catalog")
    parser.add_argument(
        "--checks", default="{}", help="JSON: what changes no byte of the table: rows, subset_rows, files"
    )
    add_limits(parser)
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, check, write the table."""
    use_limits(args)
    entry = {**json.loads(args.settings), **json.loads(args.checks)}
    settings = PairSettings.from_settings(entry, pairs=args.pairs)
    write_pairs(args.output, prepare_pairs(args.pairs, args.raw, settings))
    write_digest(args.output)


if __name__ == "__main__":
    exit_with(main)
