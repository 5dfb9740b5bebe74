"""The folds of one task and encoder → the score with its intervals, the unaggregated table, and all predictions."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--task", required=True, help="name of the task")
    parser.add_argument("--model", required=True, help="name of the encoder")
    parser.add_argument("--rows", type=Path, required=True, help="task table")
    parser.add_argument("--folds", nargs="+", required=True, help="every fold file, in order")
    parser.add_argument(
        "--settings", required=True, help='JSON: {"probe": …, "statistics": …, "protocol": …}'
    )
    parser.add_argument("--scores", type=Path, required=True, help="output, .json")
    parser.add_argument("--table", type=Path, required=True, help="output, .parquet")
    parser.add_argument("--predictions", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "scipy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.files.arrow import table_of
    from sentflow.files.parquet import write_parquet
    from sentflow.files.sealed import write_sealed
    from sentflow.probing.protocol.switches import Switches
    from sentflow.probing.storage.folds import read_folds, refuse_other_settings
    from sentflow.probing.storage.predictions import out_of_fold
    from sentflow.probing.storage.scores import about_score, kept_documents
    from sentflow.stats.items import item_interval, resampling_units
    from sentflow.stats.score import StatisticsSettings, score
    from sentflow.stats.seeds import derive_seed
    from sentflow.texts.table import read_task

    settings = json.loads(args.settings)
    probe, protocol = settings["probe"], settings["protocol"]
    folds = read_folds(args.folds)
    refuse_other_settings(args.folds, folds.infos, probe)
    rows = read_task(args.rows)
    statistics = settings["statistics"]
    items = None
    if len(folds.predictions):  # documents that cannot be assigned to folds leave none
        items = item_interval(
            out_of_fold(folds.predictions, rows.labels, where=f"{args.task} × {args.model}"),
            resampling_units(rows.labels, rows.groups),
            metric=probe["metric"],
            n_classes=len(rows.info.classes),
            level=statistics["level"],
            n_resamples=statistics["n_item_resamples"],
            # of the task alone: encoders are compared on the same resamples
            seed=derive_seed(probe["seed"], "items", args.task),
        )
    numbers = score(
        folds.scores.to_pydict(),
        n_folds=probe["folds"],
        seed=probe["seed"],
        settings=StatisticsSettings(
            level=statistics["level"],
            n_resamples=statistics["n_resamples"],
            switches=Switches.unlike_published(protocol["switches"]),
        ),
        items=items,
        documents=kept_documents(rows, probe),
    )
    about = {
        **about_score(rows, folds.infos, model=args.model, probe=probe, protocol=protocol),
        "task": args.task,
    }
    task = table_of({"task": [args.task] * len(folds.scores)}).column("task")
    write_parquet(args.table, folds.scores.add_column(0, "task", task))
    write_parquet(args.predictions, folds.predictions)
    write_sealed(args.scores, {**about, **numbers})
    logger.info("%s × %s: %s %.4f", args.task, args.model, probe["metric"], numbers["mean"])


if __name__ == "__main__":
    exit_with(main)
