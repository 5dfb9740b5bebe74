"""One acceptance check of the results: a small file if it holds, an error that lists every row if not."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.errors import DataError
from sentflow.files.io import write_json
from sentflow.graph import products
from sentflow.jobs.log import command, exit_with
from sentflow.report.checks import CheckResult, Selection
from sentflow.report.inputs import Inputs

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--check", required=True, help=f"one of: {', '.join(products.names(products.CHECK))}")
    parser.add_argument(
        "--summary", nargs="+", type=Path, required=True, help="the files of results that the check looks at"
    )
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"tasks": […], "models": […], "random_models": […], …}, see Selection',
    )
    parser.add_argument(
        "--tables",
        nargs="*",
        type=Path,
        default=[],
        help="for the checks tables and similarity: .md and .tex",
    )
    parser.add_argument("--output", type=Path, required=True, help="JSON file to write if the check holds")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    check = products.find(products.CHECK, args.check).load()
    result: CheckResult = check(Inputs(args.summary, args.tables), Selection(**json.loads(args.settings)))
    if not result.passed:
        raise DataError(
            f"{args.summary[0]} fails the check {result.name!r}. {result.rule} Problems:\n  "
            + "\n  ".join(result.problems)
            + "\nThe results are kept: check these rows before you use them."
        )
    write_json(
        args.output,
        {"check": result.name, "rule": result.rule, "passed": result.passed, "counts": result.counts},
    )
    logger.info("%s holds: %s", result.name, result.counts)


if __name__ == "__main__":
    exit_with(main)
