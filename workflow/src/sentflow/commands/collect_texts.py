"""Rule collect_texts: the distinct texts of all tasks that share a dataset."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.jobs.log import exit_with, start_log
from sentflow.texts.collection import distinct_texts, write_texts
from sentflow.texts.table import read_task

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m sentflow.commands.collect_texts", description=__doc__)
    parser.add_argument("--tasks", type=Path, nargs="+", required=True, help="task tables, in catalog order")
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Read the tables, write their texts."""
    args = parser().parse_args(argv)
    start_log("collect_texts", args, libraries=["pyarrow"])
    texts = distinct_texts(map(read_task, args.tasks))
    write_texts(args.output, texts)
    write_digest(args.output)
    logger.info("%d distinct texts of %d tasks", len(texts), len(args.tasks))
    return 0


if __name__ == "__main__":
    exit_with(main)
