"""Rule evaluate_decisions: what is decided for a question set, and judgements → set measures, means, intervals."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--decided", type=Path, nargs="+", required=True, help="decided documents, in order")
    parser.add_argument("--questions", type=Path, required=True, help="questions")
    parser.add_argument("--judgements", type=Path, required=True, help="their judgements")
    parser.add_argument("--settings", required=True, help='JSON: {"systems", "level", "n_resamples", "seed"}')
    parser.add_argument("--output", type=Path, required=True, help="output, .json")
    parser.add_argument("--rows", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "ir-measures", "pytrec-eval-terrier"])
def main(args: argparse.Namespace) -> None:
    """Read, measure, write."""
    from sentflow.retrieval.decision_files import evaluate_decided, read_decided, write_decision_values
    from sentflow.stats.resampling import Bootstrap
    from sentflow.stats.seeds import derive_seed
    from sentflow.texts.corpora import read_questions

    settings = json.loads(args.settings)
    questions = read_questions(args.questions, args.judgements)
    decided = [read_decided(path) for path in args.decided]
    found = [(one, evaluate_decided(one, questions)) for one in decided]
    seed = derive_seed(settings["seed"], questions.name, "bootstrap")
    bootstrap = Bootstrap(settings["level"], settings["n_resamples"], seed)
    write_decision_values(args.output, args.rows, found, len(questions), bootstrap)
    for _, one in found:
        means = ", ".join(f"{name} {own.mean():.4f}" for name, own in one.values.items())
        logger.info("%s on %s: %s", one.system, questions.name, means)


if __name__ == "__main__":
    exit_with(main)
