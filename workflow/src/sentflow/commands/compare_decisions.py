"""Rule compare_decisions: the values of retrievers with their decisions on all questions → which differ."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--rows", nargs="+", type=Path, required=True, help="values per question")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"question_sets", "systems": [[retriever, decision]], "alpha", "level", "margin", '
        '"n_resamples", "seed"}',
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "scipy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    import numpy as np

    from sentflow.compare.decision_rows import DecisionDifference
    from sentflow.compare.questions import QuestionScores, QuestionSettings, compare_questions
    from sentflow.files.rows import row_from, write_rows
    from sentflow.retrieval.decision_files import read_decision_values, system_of
    from sentflow.retrieval.set_measures import F2

    settings = json.loads(args.settings)
    sets = settings.pop("question_sets")
    systems = [system_of(*one) for one in settings.pop("systems")]
    rows = {(one.question_set, one.system): one for path in args.rows for one in read_decision_values(path)}
    found: list[DecisionDifference] = []
    for name in sets:
        own = [rows[name, one] for one in systems if (name, one) in rows]
        if len(own) < 2 or len(own[0].questions) < 2:
            continue
        values = np.stack([one.values[F2] for one in own])
        names = [one.system for one in own]
        scores = QuestionScores(name, F2, names, own[0].questions, values, QuestionSettings(**settings))
        here = compare_questions(scores)
        found += [row_from(DecisionDifference, vars(row)) for row in here]
        logger.info("%s: %d pairs of decisions", name, len(here))
    write_rows(args.output, DecisionDifference, found)


if __name__ == "__main__":
    exit_with(main)
