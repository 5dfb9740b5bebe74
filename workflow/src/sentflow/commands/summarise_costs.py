"""Benchmark records of Snakemake -> time and memory per rule, and what each encoder is and costs."""

import argparse
import logging
from pathlib import Path

from sentflow.compare.score_rows import ScoreRow
from sentflow.encoders.fetch.parameters import count_parameters
from sentflow.encoders.manifest import read_manifest
from sentflow.errors import DataError
from sentflow.files.rows import read_rows, write_rows
from sentflow.jobs.log import command, exit_with
from sentflow.report.costs.encoders import Embedding, encoder_rows
from sentflow.report.costs.rows import CostRow, EncoderRow
from sentflow.report.costs.summary import benchmark_files, cost_rows, records_by_rule
from sentflow.report.inputs import Inputs
from sentflow.report.rows import MeasuredRow, data_versions

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--benchmarks",
        nargs="+",
        type=Path,
        required=True,
        help="benchmark files …/benchmarks/RULE/….jsonl, or folders that contain them",
    )
    parser.add_argument(
        "--summaries",
        nargs="*",
        type=Path,
        default=[],
        help="summaries with a row per score, which describe the encoders and the data",
    )
    parser.add_argument(
        "--manifests", nargs="*", type=Path, default=[], help="…/MODEL/manifest.json of encoders"
    )
    parser.add_argument("--embeddings", nargs="*", type=Path, default=[], help="the .json beside each array")
    parser.add_argument("--output", type=Path, required=True, help="Parquet file to write: rules")
    parser.add_argument("--encoders", type=Path, required=True, help="Parquet file to write: encoders")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
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


def _about(path: Path) -> dict[str, float | None]:
    manifest = read_manifest(path)
    return {
        "parameters": count_parameters(manifest, path.parent),
        "dimension": manifest.dimension,
        "max_tokens": manifest.max_tokens,
    }


if __name__ == "__main__":
    exit_with(main)
