"""Tables of tasks and pair sets → their distinct texts, which are embedded together."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.jobs.log import exit_with, start_log
from sentflow.texts.collection import ROLES, TEXT, collect, read_table, write_collection

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m sentflow.commands.collect", description=__doc__)
    parser.add_argument(
        "--tables", type=Path, nargs="+", required=True, help="tables of tasks or pair sets, in catalog order"
    )
    parser.add_argument(
        "--roles",
        nargs="+",
        choices=ROLES,
        default=[TEXT],
        help="role of all texts; with query document, the roles of first and second texts",
    )
    parser.add_argument(
        "--output", type=Path, required=True, help=".parquet; its digest is written next to it"
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Read the tables; write their texts, each once and in order of first occurrence."""
    args = parser().parse_args(argv)
    start_log("collect", args, libraries=["pyarrow"])
    collection = collect(map(read_table, args.tables), args.roles)
    write_collection(args.output, collection)
    write_digest(args.output)
    logger.info("%d distinct texts of %d tables", len(collection.texts), len(args.tables))
    return 0


if __name__ == "__main__":
    exit_with(main)
