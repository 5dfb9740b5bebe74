"""Rule compare_retrieval: the values of all retrievers on all questions → which retrievers differ."""

import argparse
import json
import logging
import math
from dataclasses import replace
from functools import partial
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--rows", nargs="+", type=Path, required=True, help="values per question")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"order": [question sets, retrievers], "controls", "measure", "alpha", "level", "margin", '
        '"n_resamples", "seed"}',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "scipy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.compare.question_rows import QuestionDifference
    from sentflow.compare.questions import QuestionScores, QuestionSettings, compare_questions
    from sentflow.files.rows import write_rows
    from sentflow.retrieval.results import common_questions, read_values

    settings = json.loads(args.settings)
    sets, retrievers = settings.pop("order")
    measure, controls = settings.pop("measure"), settings.pop("controls")
    rows = {(one.question_set, one.retriever): one for one in map(read_values, args.rows)}
    found: list[QuestionDifference] = []
    for name in sets:
        own = [rows[name, retriever] for retriever in retrievers if (name, retriever) in rows]
        if len(own) < 2 or len(own[0].questions) < 2:
            logger.info("%s: nothing to compare", name)
            continue
        questions, values = common_questions(own, measure)
        systems = [one.retriever for one in own]
        compared = partial(
            QuestionScores, name, measure, questions=questions, settings=QuestionSettings(**settings)
        )
        rows_here = compare_questions(compared(systems=systems, scores=values))
        # Its reference is the range of all systems: with a control among them nothing else would differ
        serious = [row for row, system in enumerate(systems) if system not in controls]
        alone = compare_questions(compared(systems=[systems[row] for row in serious], scores=values[serious]))
        p_tukey = {(row.model_a, row.model_b): row.p_tukey for row in alone}
        found += [
            replace(row, p_tukey=p_tukey.get((row.model_a, row.model_b), math.nan)) for row in rows_here
        ]
        logger.info("%s: %d retrievers on %d questions", name, len(systems), len(questions))
    write_rows(args.output, QuestionDifference, found)


if __name__ == "__main__":
    exit_with(main)
