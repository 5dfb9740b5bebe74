"""Rule shard_corpus: the documents of a corpus → those of one of its shards."""

import argparse
import logging
from pathlib import Path

from sentflow.errors import ConfigError
from sentflow.files.io import write_digest
from sentflow.jobs.log import command, exit_with
from sentflow.texts.corpora import read_shard, write_corpus
from sentflow.texts.shards import whole_of

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", type=Path, required=True, help="all documents")
    parser.add_argument("--shard", required=True, help="name of the shard, e.g. law/shard-03-of-16")
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read the rows of the shard and no others, write them."""
    shard = read_shard(args.corpus, args.shard)
    if not len(shard):
        raise ConfigError(
            f"corpora.{whole_of(args.shard)}.shards: {args.shard} has no document, because the corpus has fewer "
            "documents than shards. Write a smaller number."
        )
    write_corpus(args.output, shard)
    write_digest(args.output)
    logger.info("%s: %d documents", args.shard, len(shard))


if __name__ == "__main__":
    exit_with(main)
