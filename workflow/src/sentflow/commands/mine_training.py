"""Rule mine_training: questions, judgements and what a retriever found into a table of training data."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.jobs.log import command, exit_with


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--data", required=True, help="name in the catalog")
    parser.add_argument("--questions", type=Path, nargs="+", required=True, help="in their order")
    parser.add_argument("--judgements", type=Path, nargs="+", required=True, help="of the questions")
    parser.add_argument("--corpora", type=Path, nargs="+", required=True, help="of the questions, each once")
    parser.add_argument(
        "--runs", type=Path, nargs="*", default=[], help="of the questions; none without negatives"
    )
    parser.add_argument(
        "--labels", type=Path, nargs="*", default=[], help="runs whose first documents count as relevant"
    )
    parser.add_argument(
        "--held-out-questions", type=Path, nargs="*", default=[], help="whose judged documents are in no row"
    )
    parser.add_argument("--held-out-judgements", type=Path, nargs="*", default=[], help="of these questions")
    parser.add_argument(
        "--settings", required=True, help="JSON: the form, negatives, which rows are left out"
    )
    parser.add_argument("--checks", default="{}", help="JSON: rows, which changes no byte of the table")
    parser.add_argument(
        "--looked-at", type=Path, required=True, help=".parquet of what might have been negative"
    )
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, mine, check, write the table."""
    from sentflow.retrieval.runs import read_run
    from sentflow.texts.corpora import read_corpus, read_questions
    from sentflow.training.data.mine import Mined, mine, pseudo_labelled, write_looked_at
    from sentflow.training.data.negatives import NegativeSettings
    from sentflow.training.data.prepare import table_of_rows
    from sentflow.training.data.settings import TrainingDataSettings
    from sentflow.training.data.table import write_training_data

    entry = {**json.loads(args.settings), **json.loads(args.checks)}
    settings = TrainingDataSettings.from_settings(entry, data=args.data)
    negatives = NegativeSettings(**entry.get("negatives", {}))
    corpora = {corpus.name: corpus for corpus in map(read_corpus, args.corpora)}
    held_out: dict[str, set[str]] = {}
    for paths in zip(args.held_out_questions, args.held_out_judgements, strict=True):
        of_test = read_questions(*paths)
        held_out.setdefault(of_test.corpus, set()).update(of_test.documents)
    mined = Mined()
    for place, paths in enumerate(zip(args.questions, args.judgements, strict=True)):
        questions = read_questions(*paths)
        corpus = corpora[questions.corpus]
        run = read_run(args.runs[place], corpus.ids)[1] if args.runs else None
        if args.labels:
            labels = read_run(args.labels[place], corpus.ids)[1]
            questions = pseudo_labelled(questions, labels, entry["pseudo_labels"]["margin"])
        mine(questions, corpus, run, negatives, settings.form, mined, held_out.get(corpus.name, ()))
    estimable = negatives.margin is None and not args.labels
    facts_of_mining = mined.facts(estimable=estimable)
    if not mined.rows:
        raise DataError(f"training_data.{args.data}: no row is left. {_told(facts_of_mining)}")
    table, facts = table_of_rows(args.data, mined.as_rows(settings.form), settings)
    write_looked_at(args.looked_at, args.data, mined.looked_at)
    write_training_data(args.output, table, {**facts, "mined": facts_of_mining})


def _told(facts: Mapping[str, Any]) -> str:
    counts = {name: n for name, n in facts.items() if isinstance(n, int)}
    return ", ".join(f"{name.replace('_', ' ')}: {n}" for name, n in counts.items()) + "."


if __name__ == "__main__":
    exit_with(main)
