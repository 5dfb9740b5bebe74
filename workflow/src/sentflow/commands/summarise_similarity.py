"""Results of similarity of all encoders -> their summaries, of which tables and figures are made."""

import argparse
import json
import logging
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.rows import write_rows
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.pair_summaries import in_order, read_results, reported
from sentflow.report.families.similarity import summary
from sentflow.report.families.similarity.rows import HistogramRow, RegressionRow, SimilarityRow
from sentflow.similarity.storage import read_similarities

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    given = {
        "similarity": "score files of encoders and baselines",
        "rows": "the Parquet file next to each of --similarity, in the same order",
        "regressions": "results of the regressor",
    }
    for name, said in given.items():
        parser.add_argument(f"--{name}", nargs="*", type=Path, default=[], help=said)
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"pairs": {name: {"title", "family", "scale", "data_version"}}, "models": {name: {"title", '
        '"control"}}, "baselines": […], "regressions", "measure", "correlation", "order"}',
    )
    for name in ("similarity", "regressions", "histograms"):
        parser.add_argument(f"--{name}-out", type=Path, required=True, help="Parquet file to write")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    if len(args.similarity) != len(args.rows):
        raise DataError(
            f"{len(args.similarity)} score files but {len(args.rows)} files of rows: --rows must name "
            "the file "
            "next to each file of --similarity, in the same order."
        )
    settings: dict[str, Any] = json.loads(args.settings)
    similarity: list[SimilarityRow] = []
    histograms: list[HistogramRow] = []
    regressions: list[RegressionRow] = []
    scored = read_results(args.similarity, "pairs")
    for file, scores, rows in zip(args.similarity, scored, args.rows, strict=True):
        with reported(file):
            pairs = read_similarities(rows)
            similarity += summary.similarity_rows(scores, pairs, settings)
            histograms += summary.histogram_rows(scores, pairs, settings)
    for file, result in zip(args.regressions, read_results(args.regressions, "regression"), strict=True):
        with reported(file):
            regressions.append(summary.regression_row(result, settings))
    write_rows(args.similarity_out, SimilarityRow, in_order(similarity, settings, "pairs"))
    write_rows(args.regressions_out, RegressionRow, in_order(regressions, settings, "regression"))
    write_rows(args.histograms_out, HistogramRow, in_order(histograms, settings, "pairs"))
    logger.info("%d correlations, %d regressions", len(similarity), len(regressions))


if __name__ == "__main__":
    exit_with(main)
