"""One table of the experiment as CSV, Markdown and LaTeX; a matrix as wide CSV and compact LaTeX, too."""

import argparse
import json
import logging
from collections.abc import Callable
from pathlib import Path

from sentflow.errors import ConfigError
from sentflow.files.io import write_text
from sentflow.graph import products
from sentflow.jobs.log import command, exit_with
from sentflow.report.inputs import Inputs
from sentflow.report.table.cells import Table
from sentflow.report.table.formats import csv_text, markdown_text, wide_csv_text
from sentflow.report.table.latex import compact_latex_text, latex_text

logger = logging.getLogger(__name__)

# how the name of a file goes on behind that of the table → what writes it
FORMS: dict[str, Callable[[Table], str]] = {
    ".csv": csv_text,
    ".md": markdown_text,
    ".tex": latex_text,
    "-wide.csv": wide_csv_text,
    "-compact.tex": compact_latex_text,
}


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
    parser.add_argument(
        "--output",
        nargs="+",
        type=Path,
        required=True,
        help=f"files to write: the name of the table, then one of {', '.join(FORMS)}",
    )


@command(arguments, libraries=["jinja2", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    make = products.find(products.TABLE, args.table).load()
    table: Table = make(Inputs(args.summary), json.loads(args.settings))
    for file in args.output:
        write_text(file, _writer(file, args.table)(table))
    logger.info("%s: %d records", table.name, len(table.tidy_rows))


def _writer(file: Path, table: str) -> Callable[[Table], str]:
    for ending, write in FORMS.items():
        if file.name == table + ending:
            return write
    names = ", ".join(table + ending for ending in FORMS)
    raise ConfigError(f"--output: {file} is no form of the table {table}. Write one of: {names}.")


if __name__ == "__main__":
    exit_with(main)
