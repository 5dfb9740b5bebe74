"""Rule read_run: the run of another engine, in TREC's form, checked and ranked by our rule for ties."""

import argparse
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments
from sentflow.retrieval.trec import read_trec_run


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    parser.add_argument("--run", type=Path, required=True, help="question Q0 document rank score tag")


@command(arguments, libraries=["numpy"])
def main(args: argparse.Namespace) -> None:
    """Read, check, write."""
    job = Search.of(args)
    job.write_run(read_trec_run(args.run, job.questions, job.ids, job.k))


if __name__ == "__main__":
    exit_with(main)
