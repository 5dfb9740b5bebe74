"""Rule hardest_questions: what all retrievers found on one question set → the questions that are worth reading."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", type=Path, required=True, help="documents")
    parser.add_argument("--questions", type=Path, required=True, help="questions")
    parser.add_argument("--judgements", type=Path, required=True, help="their judgements")
    parser.add_argument(
        "--runs", nargs="+", type=Path, required=True, help="runs of the retrievers, in any order"
    )
    parser.add_argument("--rows", nargs="+", type=Path, required=True, help="their values per question")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"order": retrievers, "serious": those that are no controls, "pair": two of them, or none for '
        'those with the highest means, "measure", "limit"}',
    )
    parser.add_argument("--output", type=Path, required=True, help=".parquet")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, choose, write."""
    from sentflow.files.rows import write_rows
    from sentflow.retrieval.hardest import Searched, best_two, hard_questions
    from sentflow.retrieval.hardest_rows import HardQuestion
    from sentflow.retrieval.results import common_questions, read_values
    from sentflow.retrieval.runs import read_run
    from sentflow.texts.corpora import read_corpus, read_questions

    settings = json.loads(args.settings)
    corpus, questions = read_corpus(args.corpus), read_questions(args.questions, args.judgements)
    measured = {one.retriever: one for one in map(read_values, args.rows)}
    retrievers = [name for name in settings["order"] if name in measured]
    # where nothing but controls was searched, they are what there is to show
    serious = [name for name in retrievers if name in settings["serious"]] or retrievers
    asked, values = common_questions([measured[name] for name in retrievers], settings["measure"])
    row_of = {name: row for row, name in enumerate(retrievers)}
    pair = settings["pair"] or best_two(serious, values[[row_of[name] for name in serious]])
    runs = {}
    for path in args.runs:
        about, run = read_run(path, corpus.ids)
        if about["retriever"] in pair:
            runs[about["retriever"]] = run
    searched = Searched(corpus, questions, settings["measure"], retrievers, asked, values, runs)
    rows = hard_questions(searched, serious=serious, pair=pair, limit=settings["limit"])
    write_rows(args.output, HardQuestion, rows)
    logger.info("%s: %d rows, %s", questions.name, len(rows), " and ".join(pair))


if __name__ == "__main__":
    exit_with(main)
