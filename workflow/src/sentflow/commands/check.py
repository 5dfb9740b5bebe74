"""One acceptance check of the summary: a small file if it holds, an error that lists every row if not."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import write_json
from sentflow.files.rows import read_rows
from sentflow.jobs.log import exit_with, start_log
from sentflow.report.checks import CHECKS, Selection
from sentflow.report.emphasis import Written, run_any_check
from sentflow.report.families.similarity.checks import NAME
from sentflow.report.families.similarity.data import SimilarityData

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="check", description=__doc__)
    found.add_argument(
        "--check", required=True, help=f"one of: {', '.join((*CHECKS, 'tables', 'similarity'))}"
    )
    found.add_argument(
        "--summary", nargs="?", type=Path, help="summary of scores; not for the check similarity"
    )
    found.add_argument(
        "--settings",
        required=True,
        help='JSON: {"tasks": […], "models": […], "random_models": […], …}, see Selection',
    )
    found.add_argument(
        "--comparisons", nargs="*", type=Path, default=[], help="for the check tables: of compare"
    )
    found.add_argument(
        "--similarity",
        nargs="*",
        type=Path,
        default=[],
        help="for the check similarity: its summary, and what compare_similarity wrote",
    )
    found.add_argument(
        "--tables",
        nargs="*",
        type=Path,
        default=[],
        help="for the checks tables and similarity: .md and .tex",
    )
    found.add_argument("--output", type=Path, required=True, help="JSON file to write if the check holds")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("check", args, libraries=["pyarrow"])
    selection = Selection(**json.loads(args.settings))
    if args.summary is None and args.check != NAME:
        raise ConfigError(
            f"--summary: the check {args.check!r} looks at the summary of scores. Give its file."
        )
    rows = read_rows(args.summary, ScoreRow) if args.summary else []
    comparisons = Comparisons.read(args.comparisons)
    written = Written(args.tables, comparisons, SimilarityData.read(args.similarity))
    result = run_any_check(args.check, rows, selection, written)
    if not result.passed:
        raise DataError(
            f"{_looked_at(args)} fails the check {result.name!r}. {result.rule} But:\n  "
            + "\n  ".join(result.problems)
            + "\nThe results are kept: look at these rows before you use them."
        )
    write_json(
        args.output,
        {"check": result.name, "rule": result.rule, "passed": result.passed, "counts": result.counts},
    )
    logger.info("%s holds: %s", result.name, result.counts)
    return 0


def _looked_at(args: argparse.Namespace) -> str:
    return str(args.similarity[0] if args.check == NAME and args.similarity else args.summary)


if __name__ == "__main__":
    exit_with(main)
