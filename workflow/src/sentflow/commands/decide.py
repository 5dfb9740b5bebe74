"""Rule decide: a run → the documents that are given for each question."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    for name, what in (
        ("corpus", "documents"),
        ("questions", "questions"),
        ("judgements", "their judgements"),
    ):
        parser.add_argument(f"--{name}", type=Path, required=True, help=what)
    parser.add_argument("--run", type=Path, required=True, help="run")
    for name in ("corpora", "questions", "judgements", "runs"):
        parser.add_argument(
            f"--training-{name}",
            type=Path,
            nargs="*",
            default=[],
            help="of the sets that parameters are tuned on",
        )
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"decision", "parameters"} and, where these are tuned, {"folds", "margin", "row_ids", "seed"}',
    )
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "ir-measures", "pytrec-eval-terrier"])
def main(args: argparse.Namespace) -> None:
    """Read, choose parameters, decide, write."""
    from sentflow.retrieval.decision_files import write_decided
    from sentflow.retrieval.decisions import decided, grid
    from sentflow.retrieval.runs import read_run
    from sentflow.retrieval.training_questions import refuse_shared, training_questions
    from sentflow.retrieval.tuned_decision import tune_decision
    from sentflow.texts.corpora import read_corpus, read_questions

    settings = json.loads(args.settings)
    where = f"decisions.{settings['decision']}"
    candidates = grid(settings["parameters"])
    for candidate in candidates:
        candidate.check(where)
    corpus, questions = read_corpus(args.corpus), read_questions(args.questions, args.judgements)
    said, run = read_run(args.run, corpus.ids)
    about = {key: said[key] for key in ("questions", "retriever", "corpus", "n_documents", "depth")}
    about["decision"] = settings["decision"]
    if args.training_runs:
        training = []
        for files in zip(
            args.training_corpora,
            args.training_questions,
            args.training_judgements,
            args.training_runs,
            strict=True,
        ):
            asked = read_questions(*files[1:3])
            ids_are_rows = asked.name in settings["row_ids"]
            refuse_shared(questions, training_questions(asked, ids_are_rows=ids_are_rows), where)
            training.append((asked, read_run(files[3], read_corpus(files[0]).ids)[1]))
        tuned = tune_decision(candidates, training, n_folds=settings["folds"], seed=settings["seed"])
        kept = tuned.decided(run, questions.name)
        about |= {"parameters": tuned.best.parameters(), "tuning": tuned.told(settings["margin"])}
        logger.info(
            "%s: F2 %.4f on the training questions, %.4f by folds",
            about["parameters"], tuned.choice.in_sample, tuned.choice.nested,
        )  # fmt: skip
    else:
        kept = decided(run, candidates[0])
        about |= {"parameters": candidates[0].parameters()}
    write_decided(args.output, kept, corpus.ids, about)
    logger.info("%d documents for %d questions", sum(map(len, kept.values())), len(questions))


if __name__ == "__main__":
    exit_with(main)
