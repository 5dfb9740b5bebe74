"""Rule merge_shards: what a retriever found in each shard of a corpus → what it found in the whole."""

import argparse
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "--runs",
        type=Path,
        nargs="+",
        required=True,
        help="one per shard, in the order of the corpus, with its .made.json",
    )
    parser.add_argument("--questions", type=Path, required=True, help="questions")
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Merge shard after shard, write; the cost is that of searching the shards one after the other."""
    from sentflow.files.io import read_json, write_digest, write_json
    from sentflow.retrieval.runs import write_run
    from sentflow.retrieval.shard_runs import merged_shards
    from sentflow.retrieval.sparsity import sparsity_of_shards
    from sentflow.texts.corpora import read_ids

    _, questions = read_ids(args.questions)
    about, run = merged_shards(args.runs, questions)
    write_run(args.output, run, about)
    write_digest(args.output)
    costs = [read_json(path.with_suffix(".made.json")) for path in args.runs]
    summed = {key: sum(cost[key] for cost in costs) for key in ("seconds", "index_bytes")}
    names = {key: about[key] for key in ("questions", "retriever")}
    write_json(
        args.output.with_suffix(".made.json"),
        {**names, "n_questions": len(questions), **summed, **sparsity_of_shards(costs)},
    )
    logger.info("%d questions in %d shards", len(run.ranked), len(args.runs))


if __name__ == "__main__":
    exit_with(main)
