"""Rule compare_similarity: the similarities of all encoders on all pair sets → which encoders differ."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.jobs.log import exit_with, start_log

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = argparse.ArgumentParser(
        prog="python -m sentflow.commands.compare_similarity", description=__doc__
    )
    arguments.add_argument("--rows", nargs="+", type=Path, required=True, help="files of similarities")
    arguments.add_argument(
        "--settings",
        required=True,
        help='JSON: {"order": [pair sets, encoders], "measure", "correlation", "alpha", "level", "n_resamples", '
        '"seed"}',
    )
    arguments.add_argument("--output", type=Path, required=True, help="output, .parquet")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("compare_similarity", args, libraries=["numpy", "scipy", "pyarrow"])
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
    return 0


if __name__ == "__main__":
    exit_with(main)
