"""Rule count_terms: the terms of the shards of a corpus → in how many documents of the whole each of them is."""

import argparse
import logging
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.terms import count_terms, read_terms, write_counts

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--terms", type=Path, nargs="+", required=True, help="terms of the documents of each shard"
    )
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read shard after shard, count, write."""
    counts = count_terms(map(read_terms, args.terms))
    write_counts(args.output, counts)
    write_digest(args.output)
    logger.info("%d different terms in %d documents", len(counts.n_documents_with), counts.n_documents)


if __name__ == "__main__":
    exit_with(main)
