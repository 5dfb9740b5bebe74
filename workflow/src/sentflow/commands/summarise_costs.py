"""Benchmark records of Snakemake -> time and memory per rule."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.log import exit_with, start_log
from sentflow.report.costs import benchmark_files, cost_rows, records_by_rule
from sentflow.report.rows import CostRow, ScoreRow, data_versions, read_rows, write_rows

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="summarise_costs", description=__doc__)
    found.add_argument(
        "--benchmarks",
        nargs="+",
        type=Path,
        required=True,
        help="benchmark files …/benchmarks/RULE/….jsonl, or folders that hold them",
    )
    found.add_argument(
        "--summary", type=Path, required=True, help="summary of scores: says what the data are"
    )
    found.add_argument("--output", type=Path, required=True, help="Parquet file to write")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("summarise_costs", args, libraries=["pyarrow"])
    files = benchmark_files(args.benchmarks)
    versions = data_versions(read_rows(args.summary, ScoreRow))
    rows = cost_rows(records_by_rule(files), "; ".join(versions))
    write_rows(args.output, CostRow, rows)
    logger.info("%d benchmark files, %d rules", len(files), len(rows))
    return 0


if __name__ == "__main__":
    exit_with(main)
