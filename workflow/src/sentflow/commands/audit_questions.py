"""Rule audit_questions: questions, judgements and documents → what occurs twice, and what training has shown."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.audit.question_audit import Judged, audit_questions
from sentflow.files.sealed import write_sealed
from sentflow.jobs.log import command, exit_with
from sentflow.texts.corpora import Corpus, read_corpus, read_questions

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", type=Path, required=True, help="documents")
    parser.add_argument("--questions", type=Path, required=True, help="questions")
    parser.add_argument("--judgements", type=Path, required=True, help="their judgements")
    for name, what in (
        ("corpora", "the corpora of the training sets, each once"),
        ("questions", "the questions of each training set"),
        ("judgements", "the judgements of each"),
    ):
        parser.add_argument(f"--training-{name}", nargs="*", type=Path, default=[], help=what)
    parser.add_argument("--output", type=Path, required=True, help=".json")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, audit, write."""
    corpora = {corpus.name: corpus for corpus in map(read_corpus, [args.corpus, *args.training_corpora])}
    [test] = _judged([args.questions], [args.judgements], corpora)
    training = _judged(args.training_questions, args.training_judgements, corpora)
    facts = audit_questions(test, training)
    write_sealed(args.output, facts)
    logger.info(
        "%s: %d questions, %d of them leaked, %d with a document of training",
        facts["questions"],
        facts["n_questions"],
        len(facts["leaked"]),
        facts["same_document"],
    )


def _judged(
    questions: Sequence[Path], judgements: Sequence[Path], corpora: dict[str, Corpus]
) -> list[Judged]:
    found = [read_questions(*files) for files in zip(questions, judgements, strict=True)]
    return [Judged(one, corpora[one.corpus]) for one in found]


if __name__ == "__main__":
    exit_with(main)
