"""Rule prepare_questions: raw files into questions and their judgements, which must fit the corpus."""

import argparse
import json
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.arguments import add_raw_arguments
from sentflow.jobs.log import command, exit_with
from sentflow.texts.corpora import read_corpus, write_questions
from sentflow.texts.corpus_settings import QuestionSettings
from sentflow.texts.prepare_questions import prepare_questions


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--questions", required=True, help="name in the catalog")
    add_raw_arguments(parser)
    parser.add_argument("--corpus", type=Path, required=True, help="documents that are searched")
    add_limits(parser)
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")
    parser.add_argument(
        "--judgements", type=Path, required=True, help=".parquet; its digest is put beside it"
    )


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, check, write both tables."""
    use_limits(args)
    entry = {**json.loads(args.settings), **json.loads(args.checks)}
    settings = QuestionSettings.from_settings(entry, name=args.questions)
    found = prepare_questions(args.questions, args.raw, settings, read_corpus(args.corpus))
    write_questions(args.output, args.judgements, found)
    write_digest(args.output)
    write_digest(args.judgements)


if __name__ == "__main__":
    exit_with(main)
