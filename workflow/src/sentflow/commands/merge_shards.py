"""Rule merge_shards: what a retriever found in each shard of a corpus → what it found in the whole."""

import argparse
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--runs", type=Path, nargs="+", required=True, help="one per shard, in the order of the corpus"
    )
    parser.add_argument("--questions", type=Path, required=True, help="questions")
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Merge shard after shard, write."""
    from sentflow.files.io import write_digest
    from sentflow.retrieval.runs import write_run
    from sentflow.retrieval.shard_runs import merged_shards
    from sentflow.texts.corpora import read_ids

    _, questions = read_ids(args.questions)
    about, run = merged_shards(args.runs, questions)
    write_run(args.output, run, about)
    write_digest(args.output)
    logger.info("%d questions in %d shards", len(run.ranked), len(args.runs))


if __name__ == "__main__":
    exit_with(main)
