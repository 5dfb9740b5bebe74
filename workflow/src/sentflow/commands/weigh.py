"""Rule weigh: the runs of a question set and its judgements → what each weight of their fusion reaches."""

import argparse
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    parser.add_argument(
        "--runs", type=Path, nargs="+", required=True, help="in the order of the weights, then a factor"
    )


@command(arguments, libraries=["numpy", "ir-measures", "pytrec-eval-terrier"])
def main(args: argparse.Namespace) -> None:
    """Read, fuse by every weight, measure, write."""
    from sentflow.files.io import write_digest
    from sentflow.retrieval.fusion import FusionSettings
    from sentflow.retrieval.runs import read_run
    from sentflow.retrieval.tuned_fusion import weigh, weight_grid, write_weighed

    job = Search.of(args)
    steps, measure = job.settings.pop("steps"), job.settings.pop("measure")
    candidates = weight_grid(len(args.runs) - job.settings.get("times", False), steps)
    settings = FusionSettings(**job.settings, weights=candidates[0])
    settings.check(f"retrievers.{job.retriever}")
    runs = [read_run(path, job.ids)[1].ranked for path in args.runs]
    found = weigh(
        runs, job.ids, job.questions, settings,
        retriever=job.retriever, candidates=candidates, measure=measure, depth=job.depth,
    )  # fmt: skip
    write_weighed(args.output, found)
    write_digest(args.output)
    logger.info("%d weights on %d questions of %s", len(candidates), len(found.questions), job.questions.name)


if __name__ == "__main__":
    exit_with(main)
