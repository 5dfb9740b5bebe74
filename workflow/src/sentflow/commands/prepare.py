"""Rule prepare: the raw file of a task into its table."""

import argparse
import json
import logging
from importlib import import_module
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.log import command, exit_with
from sentflow.texts.prepare import PrepareSettings, prepare
from sentflow.texts.table import write_task

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--task", required=True, help="name in the catalog")
    parser.add_argument("--raw", type=Path, nargs="+", required=True, help="files of the task's dataset")
    parser.add_argument("--settings", required=True, help="JSON: the task's entry in the catalog")
    parser.add_argument(
        "--checks",
        default="{}",
        help="JSON: what changes no byte of the table: metric, folds, document_folds, files",
    )
    add_limits(parser)
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, check, write the table."""
    use_limits(args)
    checks = json.loads(args.checks)
    settings = PrepareSettings.from_settings({**json.loads(args.settings), **checks}, task=args.task)
    table = prepare(args.task, args.raw, settings)
    if "document_folds" in checks:
        # by name: this changes no byte of the table, so its code is none of the job's
        check = import_module("sentflow.probing.plans").check_documents
        if warning := check(table, **checks["document_folds"]):
            logger.warning("%s: %s", args.task, warning)
    write_task(args.output, table)
    write_digest(args.output)


if __name__ == "__main__":
    exit_with(main)
