"""The out-of-fold predictions of every encoder on one task → the texts that most probes get wrong."""

import argparse
import json
import logging
from pathlib import Path

import numpy as np

from sentflow.audit.hardest import hardest
from sentflow.audit.rows import write_hard_rows
from sentflow.errors import DataError
from sentflow.jobs.log import command, exit_with
from sentflow.probing.storage.predictions import out_of_fold, read_predictions
from sentflow.texts.table import read_task

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--rows", type=Path, required=True, help="task table")
    parser.add_argument(
        "--predictions",
        type=Path,
        nargs="+",
        required=True,
        help="prediction files, those of the first encoder first; the same number for each",
    )
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"models": encoders in the order of their predictions, "limit": at most so many rows, "offensive"}',
    )
    parser.add_argument("--output", type=Path, required=True, help=".parquet")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    settings = json.loads(args.settings)
    models: list[str] = settings["models"]
    per_model, rest = divmod(len(args.predictions), len(models))
    if rest or not per_model:
        raise DataError(
            f"{len(args.predictions)} prediction files for {len(models)} encoders: give the same number "
            "for each, those of "
            f"{models[0]} first."
        )
    table = read_task(args.rows)
    predictions = {
        model: out_of_fold(
            read_predictions(args.predictions[place * per_model : (place + 1) * per_model]),
            table.labels,
            where=f"{table.info.task} × {model}",
        )
        for place, model in enumerate(models)
    }
    rows = hardest(table, predictions, limit=settings["limit"], offensive=settings["offensive"])
    write_hard_rows(args.output, rows)
    wrong = np.mean([row.share_wrong for row in rows]) if rows else 0.0
    logger.info(
        "%s: %d texts, wrong in %.1f %% of their predictions", table.info.task, len(rows), 100 * wrong
    )


if __name__ == "__main__":
    exit_with(main)
