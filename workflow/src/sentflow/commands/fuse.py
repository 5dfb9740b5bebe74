"""Rule fuse: several runs into one."""

import argparse
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    parser.add_argument(
        "--runs", type=Path, nargs="+", required=True, help="in the order of the weights, then a factor"
    )
    parser.add_argument(
        "--chosen", type=Path, nargs="*", default=[], help="weights chosen on training questions"
    )


@command(arguments, libraries=["numpy"])
def main(args: argparse.Namespace) -> None:
    """Read, fuse, write."""
    from dataclasses import replace

    import numpy as np

    from sentflow.retrieval.fusion import FusionSettings, fused
    from sentflow.retrieval.ranking import Ranked
    from sentflow.retrieval.runs import read_run
    from sentflow.retrieval.training_questions import refuse_shared
    from sentflow.retrieval.tuned_fusion import ChosenWeights, read_chosen

    job = Search.of(args)
    where = f"retrievers.{job.retriever}"
    given = tuple(job.settings.pop("weights", [1.0] * len(args.runs)))
    chosen = read_chosen(args.chosen[0])[1] if args.chosen else ChosenWeights(given, {}, [])
    settings = FusionSettings(**job.settings, weights=chosen.weights)
    settings.check(where)
    refuse_shared(job.questions, chosen.training, f"{where}.weights")
    runs = [read_run(path, job.ids)[1].ranked for path in args.runs]
    nothing = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    job.write(
        fused(
            [run.get(question, nothing) for run in runs],
            replace(settings, weights=chosen.of(job.questions.name, question)),
            job.depth,
        )
        for question in job.questions.ids
    )


if __name__ == "__main__":
    exit_with(main)
