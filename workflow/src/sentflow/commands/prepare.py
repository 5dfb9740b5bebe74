"""Rule prepare: the raw file of a task into its table."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.log import exit_with, start_log
from sentflow.texts.prepare import PrepareSettings, prepare
from sentflow.texts.table import write_task


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m sentflow.commands.prepare", description=__doc__)
    parser.add_argument("--task", required=True, help="name in the catalog")
    parser.add_argument("--raw", type=Path, nargs="+", required=True, help="files of the task's dataset")
    parser.add_argument("--settings", required=True, help="JSON: the task's entry in the catalog")
    parser.add_argument(
        "--checks", default="{}", help="JSON: what changes no byte of the table: metric, folds, files"
    )
    add_limits(parser)
    parser.add_argument(
        "--output", type=Path, required=True, help=".parquet; its digest is written next to it"
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Read, check, write the table."""
    args = parser().parse_args(argv)
    start_log("prepare", args, libraries=["pyarrow"])
    use_limits(args)
    entry = {**json.loads(args.settings), **json.loads(args.checks)}
    settings = PrepareSettings.from_settings(entry, task=args.task)
    write_task(args.output, prepare(args.task, args.raw, settings))
    write_digest(args.output)
    return 0


if __name__ == "__main__":
    exit_with(main)
