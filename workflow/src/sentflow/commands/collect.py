"""Tables of tasks and pair sets → their distinct texts, which are embedded together."""

import argparse
import logging
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.jobs.log import command, exit_with
from sentflow.texts.collection import ROLES, TEXT, collect, read_table, write_collection

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--tables", type=Path, nargs="+", required=True, help="tables of tasks or pair sets, in catalog order"
    )
    parser.add_argument(
        "--roles",
        default=TEXT,
        help=f"{', '.join(ROLES)}: role of all texts; query document: of first texts, and of what stands beside them",
    )
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read the tables; write their texts, each once and in order of first occurrence."""
    collection = collect(map(read_table, args.tables), args.roles.split())
    write_collection(args.output, collection)
    write_digest(args.output)
    logger.info("%d distinct texts of %d tables", len(collection.texts), len(args.tables))


if __name__ == "__main__":
    exit_with(main)
