"""Rule prepare_pairs: the raw files of a pair set into its table."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.log import exit_with, start_log
from sentflow.texts.pairs import write_pairs
from sentflow.texts.prepare_pairs import PairSettings, prepare_pairs


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m sentflow.commands.prepare_pairs", description=__doc__)
    parser.add_argument("--pairs", required=True, help="name in the catalog")
    parser.add_argument("--raw", type=Path, nargs="+", required=True, help="files that the pair set needs")
    parser.add_argument("--settings", required=True, help="JSON: the pair set's entry in the catalog")
    parser.add_argument(
        "--checks", default="{}", help="JSON: what changes no byte of the table: rows, subset_rows, files"
    )
    add_limits(parser)
    parser.add_argument(
        "--output", type=Path, required=True, help=".parquet; its digest is written next to it"
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Read, check, write the table."""
    args = parser().parse_args(argv)
    start_log("prepare_pairs", args, libraries=["pyarrow"])
    use_limits(args)
    entry = {**json.loads(args.settings), **json.loads(args.checks)}
    settings = PairSettings.from_settings(entry, pairs=args.pairs)
    write_pairs(args.output, prepare_pairs(args.pairs, args.raw, settings))
    write_digest(args.output)
    return 0


if __name__ == "__main__":
    exit_with(main)
