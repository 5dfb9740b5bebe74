"""Rule collect_training: documents of corpora and questions into a table of training data."""

import argparse
import json
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.texts.corpora import read_corpus, read_questions
from sentflow.training.data.collect import (
    collected_neighbours,
    collected_spans,
    collected_texts,
    collected_titles,
)
from sentflow.training.data.prepare import table_of_rows
from sentflow.training.data.settings import TrainingDataSettings
from sentflow.training.data.table import write_training_data


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--data", required=True, help="name in the catalog")
    parser.add_argument("--corpora", type=Path, nargs="*", default=[], help="in their order")
    parser.add_argument("--questions", type=Path, nargs="*", default=[], help="in their order")
    parser.add_argument("--judgements", type=Path, nargs="*", default=[], help="of the questions")
    parser.add_argument(
        "--settings", required=True, help="JSON: the form, split, which rows are left out, rows"
    )
    parser.add_argument("--checks", default="{}", help="JSON: rows, which changes no byte of the table")
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, collect, check, write the table."""
    entry = {**json.loads(args.settings), **json.loads(args.checks)}
    settings = TrainingDataSettings.from_settings(entry, data=args.data)
    corpora = [read_corpus(path) for path in args.corpora]
    asked = [read_questions(*paths) for paths in zip(args.questions, args.judgements, strict=True)]
    match settings.form:
        case "spans":
            found = collected_spans(corpora, entry.get("split"))
        case "pairs" if neighbours := entry.get("neighbours"):
            found = collected_neighbours(corpora, None if neighbours is True else neighbours["words"])
        case "pairs":
            found = collected_titles(corpora)
        case _:
            found = collected_texts(corpora, asked)
    write_training_data(args.output, *table_of_rows(args.data, found, settings))


if __name__ == "__main__":
    exit_with(main)
