"""Rule export_submissions: what is decided for a question set → submissions of the Zalo challenge."""

import argparse
import logging
from pathlib import Path

from sentflow.exports.submission import submission, submission_text
from sentflow.files.io import write_text
from sentflow.files.parquet import read_described, readable
from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.decision_files import read_decided
from sentflow.texts.corpora import questions_of

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--decided", type=Path, nargs="+", required=True, help="decided documents")
    parser.add_argument("--questions", type=Path, required=True, help="questions")
    parser.add_argument(
        "--output", type=Path, nargs="+", required=True, help=".json, one for each of --decided"
    )


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    with readable(args.questions, "table of questions"):
        questions = questions_of(*read_described(args.questions))
    for path, output in zip(args.decided, args.output, strict=True):
        found = submission(questions.ids, read_decided(path).documents)
        write_text(output, submission_text(found))
        n_empty = sum(not one["relevant_articles"] for one in found)
        logger.info("%s: %d questions, %d of them without an article", output, len(found), n_empty)


if __name__ == "__main__":
    exit_with(main)
