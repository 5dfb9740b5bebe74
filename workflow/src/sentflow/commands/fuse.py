"""Rule fuse: several runs into one."""

import argparse
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    parser.add_argument("--runs", type=Path, nargs="+", required=True, help="in the order of the weights")


@command(arguments, libraries=["numpy"])
def main(args: argparse.Namespace) -> None:
    """Read, fuse, write."""
    import numpy as np

    from sentflow.retrieval.fusion import FusionSettings, fused
    from sentflow.retrieval.ranking import Ranked
    from sentflow.retrieval.runs import read_run

    job = Search.of(args)
    settings = FusionSettings(**{**job.settings, "weights": tuple(job.settings["weights"])})
    settings.check(f"retrievers.{job.retriever}")
    runs = [read_run(path, job.ids)[1].ranked for path in args.runs]
    nothing = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    job.write(
        fused([run.get(question, nothing) for run in runs], settings, job.depth)
        for question in job.questions.ids
    )


if __name__ == "__main__":
    exit_with(main)
