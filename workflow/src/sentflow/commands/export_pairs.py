"""Rule export_pairs: training data that were put together → shards and a card, as a data set of the hub."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.exports.pair_corpus import card, shard_borders, shard_name
from sentflow.files.io import read_json, write_text
from sentflow.files.parquet import DescribedParts, readable, write_parquet
from sentflow.files.sealed import read_sealed
from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--data", type=Path, required=True, help="table of training data, its digest beside it"
    )
    parser.add_argument("--audit", type=Path, nargs="?", help="what the data have in common with the tests")
    parser.add_argument(
        "--settings", required=True, help="JSON: title, language, near, shards, relations, datasets"
    )
    parser.add_argument("--output", type=Path, required=True, help="folder of the shards")
    parser.add_argument("--card", type=Path, required=True, help="README.md")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, cut, describe."""
    about = json.loads(args.settings)
    size_bytes = 0
    with readable(args.data, "table of training data"):
        table = DescribedParts(args.data)
        for place, (start, stop) in enumerate(shard_borders(table.n_rows, about["shards"])):
            path = args.output / shard_name(place, about["shards"])
            # The metadata of the table mean nothing outside
            write_parquet(path, table.rows(start, stop).replace_schema_metadata(None))
            size_bytes += path.stat().st_size
    audit = read_sealed(args.audit) if args.audit else None
    write_text(args.card, card(read_json(args.data.with_suffix(".json")), about, audit, size_bytes))
    logger.info("%d pairs in %d shards, %d bytes", table.n_rows, about["shards"], size_bytes)


if __name__ == "__main__":
    exit_with(main)
