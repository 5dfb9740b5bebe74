"""One acceptance check of the results: a small file if it holds, an error that lists every row if not."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.errors import DataError
from sentflow.files.io import write_json
from sentflow.graph import products
from sentflow.jobs.log import exit_with, start_log
from sentflow.report.checks import CheckResult, Selection
from sentflow.report.inputs import Inputs

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="check", description=__doc__)
    found.add_argument("--check", required=True, help=f"one of: {', '.join(products.names(products.CHECK))}")
    found.add_argument(
        "--summary", nargs="+", type=Path, required=True, help="the result files that the check reads"
    )
    found.add_argument(
        "--settings",
        required=True,
        help='JSON: {"tasks": […], "models": […], "random_models": […], …}, see Selection',
    )
    found.add_argument(
        "--tables",
        nargs="*",
        type=Path,
        default=[],
        help="for the checks tables and similarity: .md and .tex",
    )
    found.add_argument("--output", type=Path, required=True, help="JSON file to write if the check passes")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("check", args, libraries=["pyarrow"])
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
    logger.info("%s passed: %s", result.name, result.counts)
    return 0


if __name__ == "__main__":
    exit_with(main)
