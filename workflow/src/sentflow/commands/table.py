"""One table of the experiment as CSV, Markdown and LaTeX."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import write_text
from sentflow.graph import products
from sentflow.jobs.log import exit_with, start_log
from sentflow.report.inputs import Inputs
from sentflow.report.table.cells import Table
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex_text

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="table", description=__doc__)
    found.add_argument("--table", required=True, help=f"one of: {', '.join(products.names(products.TABLE))}")
    found.add_argument(
        "--summary",
        nargs="+",
        type=Path,
        required=True,
        help="the result files that the table is made from",
    )
    found.add_argument(
        "--settings", required=True, help='JSON: {"caption": how the caption begins, "published": scores}'
    )
    found.add_argument("--csv", type=Path, required=True, help="file to write: tidy, full precision")
    found.add_argument("--markdown", type=Path, required=True, help="file to write")
    found.add_argument("--latex", type=Path, required=True, help="file to write: booktabs")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("table", args, libraries=["jinja2", "pyarrow"])
    make = products.find(products.TABLE, args.table).load()
    table: Table = make(Inputs(args.summary), json.loads(args.settings))
    write_text(args.csv, csv_text(table))
    write_text(args.markdown, markdown_text(table))
    write_text(args.latex, latex_text(table))
    logger.info("%s: %d records", table.name, len(table.tidy_rows))
    return 0


if __name__ == "__main__":
    exit_with(main)
