"""Rule compare_similarity: the similarities of all encoders on all pair sets → which encoders differ."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--rows", nargs="+", type=Path, required=True, help="files of similarities")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"order": [pair sets, encoders], "measure", "correlation", "alpha", "level", "n_resamples", '
        '"seed"}',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "scipy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.compare.pair_sets import PairSetSettings, compare_pair_set
    from sentflow.compare.rows import SimilarityDifference
    from sentflow.files.rows import write_rows
    from sentflow.similarity.results import bootstrap_seed
    from sentflow.similarity.storage import read_similarities

    settings = json.loads(args.settings)
    pair_sets, models = settings.pop("order")
    rows = {(one.pairs, one.model): one for one in map(read_similarities, args.rows)}
    found: list[SimilarityDifference] = []
    for pairs in pair_sets:
        own = [rows[pairs, model] for model in models if (pairs, model) in rows]
        seed = bootstrap_seed(settings["seed"], pairs)
        found += compare_pair_set(own, PairSetSettings(**{**settings, "seed": seed}))
        logger.info("%s: %d encoders", pairs, len(own))
    write_rows(args.output, SimilarityDifference, found)


if __name__ == "__main__":
    exit_with(main)
