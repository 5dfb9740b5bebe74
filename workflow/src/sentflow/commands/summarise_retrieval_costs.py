"""Rule summarise_retrieval_costs: time of searches and size of what they searched. No score depends on it."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.encoders.vectors.storage import how_made
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows, write_rows
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.retrieval.cost_summary import cost_rows
from sentflow.report.families.retrieval.rows import RetrievalCostRow, RetrievalRow

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--summary", type=Path, required=True, help="of retrieval")
    parser.add_argument(
        "--made", nargs="+", type=Path, required=True, help="the .made.json beside every run, fused ones too"
    )
    parser.add_argument(
        "--embeddings", nargs="*", type=Path, default=[], help="the .json beside the vectors of questions"
    )
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"parts": retriever → what it is made of, "encoders": retriever → encoder}',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, add up, write."""
    runs = [read_json(path) for path in args.made]
    infos = [(read_json(path), how_made(path)) for path in args.embeddings]
    rows = list(
        cost_rows(
            read_rows(args.summary, RetrievalRow),
            {(run["questions"], run["retriever"]): run for run in runs},
            {
                (info["collection"].removesuffix("/questions"), info["model"]): {
                    **made,
                    "n_texts": info["shape"][0],
                }
                for info, made in infos
            },
            json.loads(args.settings),
        )
    )
    write_rows(args.output, RetrievalCostRow, rows)
    logger.info("costs of %d searches", len(rows))


if __name__ == "__main__":
    exit_with(main)
