"""Rule summarise_weights: what each weight of fusions reaches, and what was chosen → one table of rows."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--weighed", nargs="+", type=Path, required=True, help="what weights reach")
    parser.add_argument("--chosen", nargs="+", type=Path, required=True, help="what was chosen")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"question_sets", "retrievers": titles, "order": [question sets, retrievers], "level", '
        '"n_resamples", "seed"}',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, put in order, write."""
    from sentflow.files.rows import write_rows
    from sentflow.report.families.retrieval.decision_rows import WeightRow
    from sentflow.report.families.retrieval.weight_summary import weight_rows
    from sentflow.retrieval.tuned_fusion import read_chosen, read_weighed

    chosen = {about["retriever"]: about for about, _ in map(read_chosen, args.chosen)}
    rows = weight_rows([*map(read_weighed, args.weighed)], chosen, json.loads(args.settings))
    write_rows(args.output, WeightRow, rows)
    logger.info("%d weights", len(rows))


if __name__ == "__main__":
    exit_with(main)
