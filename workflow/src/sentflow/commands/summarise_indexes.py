"""Rule summarise_indexes: certificates of approximate indexes → one table of rows."""

import argparse
import json
from pathlib import Path

from sentflow.files.rows import write_rows
from sentflow.files.sealed import read_sealed
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.retrieval.index_rows import IndexRow, index_rows


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--results", nargs="+", type=Path, required=True, help="certificates, .json")
    parser.add_argument(
        "--settings", required=True, help='JSON: {"questions", "retrievers"}: titles, in order'
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, put in order, write."""
    write_rows(args.output, IndexRow, index_rows(map(read_sealed, args.results), json.loads(args.settings)))


if __name__ == "__main__":
    exit_with(main)
