"""Rule choose_weights: what weights reach on training questions → those that are used, and by folds their worth."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--weighed", type=Path, nargs="+", required=True, help="one per training set")
    parser.add_argument(
        "--questions", type=Path, nargs="+", required=True, help="of these sets, in the same order"
    )
    parser.add_argument("--judgements", type=Path, nargs="+", required=True, help="of these sets, too")
    parser.add_argument("--settings", required=True, help='JSON: {"folds", "margin", "row_ids", "seed"}')
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "scipy"])
def main(args: argparse.Namespace) -> None:
    """Read, choose, write."""
    import numpy as np

    from sentflow.retrieval.decision_files import write_told
    from sentflow.retrieval.training_questions import training_questions
    from sentflow.retrieval.tuned_fusion import read_weighed, write_chosen
    from sentflow.retrieval.tuning import choose, folds_of
    from sentflow.texts.corpora import read_questions

    settings = json.loads(args.settings)
    weighed = [read_weighed(path) for path in args.weighed]
    training = [
        one
        for files in zip(args.questions, args.judgements, strict=True)
        for one in training_questions(read_questions(*files))
    ]
    # documents of other corpora may have the same names
    relevant = [[f"{one.corpus}|{name}" for name in own] for one in weighed for own in one.relevant]
    fold_of = folds_of(relevant, settings["folds"], settings["seed"])
    choice = choose(np.concatenate([one.values for one in weighed], axis=1), fold_of)
    about = write_chosen(
        args.output, choice, weighed, training, row_ids=settings["row_ids"], margin=settings["margin"]
    )
    write_told(args.output, about)
    logger.info(
        "weights %s: %s %.4f on the questions that they were chosen on, %.4f by folds (optimism %.4f)",
        about["weights"], about["measure"], choice.in_sample, choice.nested, choice.optimism,
    )  # fmt: skip


if __name__ == "__main__":
    exit_with(main)
