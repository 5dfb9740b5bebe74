"""One table of the experiment as CSV, Markdown and LaTeX."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.io import write_text
from sentflow.graph import products
from sentflow.jobs.log import command, exit_with
from sentflow.report.inputs import Inputs
from sentflow.report.table.cells import Table
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex_text

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--table", required=True, help=f"one of: {', '.join(products.names(products.TABLE))}")
    parser.add_argument(
        "--summary",
        nargs="+",
        type=Path,
        required=True,
        help="the result files that the table is made from",
    )
    parser.add_argument(
        "--settings", required=True, help='JSON: {"caption": how the caption begins, "published": scores}'
    )
    parser.add_argument("--csv", type=Path, required=True, help="file to write: tidy, full precision")
    parser.add_argument("--markdown", type=Path, required=True, help="file to write")
    parser.add_argument("--latex", type=Path, required=True, help="file to write: booktabs")


@command(arguments, libraries=["jinja2", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    make = products.find(products.TABLE, args.table).load()
    table: Table = make(Inputs(args.summary), json.loads(args.settings))
    write_text(args.csv, csv_text(table))
    write_text(args.markdown, markdown_text(table))
    write_text(args.latex, latex_text(table))
    logger.info("%s: %d records", table.name, len(table.tidy_rows))


if __name__ == "__main__":
    exit_with(main)
