"""Rule explain_terms: the questions worth reading → the terms by which BM25 finds their documents."""

import argparse
from functools import partial
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.shared_terms import add_explaining_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_explaining_arguments(parser)
    parser.add_argument(
        "--terms", type=Path, nargs="+", required=True, help="those of the documents, shard after shard"
    )
    parser.add_argument(
        "--counts", type=Path, nargs="*", default=[], help="of the whole corpus, where it has shards"
    )


@command(arguments, libraries=["numpy", "bm25s"])
def main(args: argparse.Namespace) -> None:
    """Read, add up, write."""
    from sentflow.retrieval.explaining_terms import explain_terms
    from sentflow.retrieval.jobs import Search
    from sentflow.retrieval.shared_terms import write_shared_terms

    job = Search.of(args)
    explain = partial(
        explain_terms,
        questions=job.questions,
        ids=job.ids,
        settings=job.settings,
        terms=args.terms,
        counts=args.counts,
        where=f"retrievers.{job.retriever}",
    )
    write_shared_terms(args, job, explain)


if __name__ == "__main__":
    exit_with(main)
