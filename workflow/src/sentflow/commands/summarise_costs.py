"""Benchmark records of Snakemake -> time and memory per rule, and what each encoder is and costs."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.compare.score_rows import ScoreRow
from sentflow.encoders.fetch.parameters import count_parameters
from sentflow.encoders.manifest import read_manifest
from sentflow.errors import DataError
from sentflow.files.rows import read_rows, write_rows
from sentflow.jobs.log import exit_with, start_log
from sentflow.report.costs.encoders import Embedding, encoder_rows
from sentflow.report.costs.rows import CostRow, EncoderRow
from sentflow.report.costs.summary import benchmark_files, cost_rows, records_by_rule
from sentflow.report.inputs import Inputs
from sentflow.report.rows import MeasuredRow, data_versions

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="summarise_costs", description=__doc__)
    found.add_argument(
        "--benchmarks",
        nargs="+",
        type=Path,
        required=True,
        help="benchmark files …/benchmarks/RULE/….jsonl, or folders that contain them",
    )
    found.add_argument(
        "--summaries",
        nargs="*",
        type=Path,
        default=[],
        help="summaries with a row per score, which describe the encoders and the data",
    )
    found.add_argument(
        "--manifests", nargs="*", type=Path, default=[], help="…/MODEL/manifest.json of encoders"
    )
    found.add_argument("--embeddings", nargs="*", type=Path, default=[], help="the .json next to each array")
    found.add_argument("--output", type=Path, required=True, help="Parquet file to write: rules")
    found.add_argument("--encoders", type=Path, required=True, help="Parquet file to write: encoders")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("summarise_costs", args, libraries=["pyarrow"])
    files = benchmark_files(args.benchmarks)
    scores = Inputs(args.summaries).rows_if_there(ScoreRow)
    named = [row for path in args.summaries for row in read_rows(path, MeasuredRow, may_be_empty=True)]
    if not named:
        raise DataError("no summary has a row. Give one of scores or of similarity with --summaries.")
    rows = cost_rows(records_by_rule(files), "; ".join(data_versions(named)))
    encoders = encoder_rows(
        scores,
        {path.parent.name: _about(path) for path in args.manifests},
        [Embedding.read(path) for path in args.embeddings],
        # more than one folder of benchmarks is for those who gather runs; an encoder was embedded in the first
        args.benchmarks[0],
        named,
    )
    write_rows(args.output, CostRow, rows)
    write_rows(args.encoders, EncoderRow, encoders)
    logger.info("%d benchmark files, %d rules, %d encoders", len(files), len(rows), len(encoders))
    return 0


def _about(path: Path) -> dict[str, float | None]:
    manifest = read_manifest(path)
    return {
        "parameters": count_parameters(manifest, path.parent),
        "dimension": manifest.dimension,
        "max_tokens": manifest.max_tokens,
    }


if __name__ == "__main__":
    exit_with(main)
