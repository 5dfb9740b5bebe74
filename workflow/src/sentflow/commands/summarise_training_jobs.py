"""Records of all trainings → a row per training, a row per step, and a row per cell of a sweep."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.rows import read_rows, write_rows
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.training.figure_rows import SweepPoint, TrainingHeldOutRow, TrainingHistoryRow
from sentflow.report.families.training.rows import TrainingRow
from sentflow.report.families.training.summary import held_out_rows, history_rows, sweep_points, trained_row
from sentflow.report.families.training.trained_rows import TrainedRow

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--records",
        nargs="+",
        type=Path,
        required=True,
        help="files training/{model}/record.json; beside each made.json, selection.json, history and held-out.parquet",
    )
    parser.add_argument("--scores", type=Path, required=True, help="summary/training.parquet")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"models": encoder → title, group, control, data_version; "sweeps": see sweep_cells}',
    )
    parser.add_argument("--output", type=Path, required=True, help="Parquet to write: a row per training")
    parser.add_argument("--history", type=Path, required=True, help="Parquet to write: a row per step")
    parser.add_argument(
        "--held-out", type=Path, required=True, help="Parquet to write: a row per held-out measure"
    )
    parser.add_argument("--sweeps", type=Path, required=True, help="Parquet to write: a row per cell")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    settings = json.loads(args.settings)
    folders = [record.parent for record in args.records]
    trained = [trained_row(folder, settings["models"][folder.name]) for folder in folders]
    steps = [row for folder, one in zip(folders, trained, strict=True) for row in history_rows(folder, one)]
    held_out = [
        row for folder, one in zip(folders, trained, strict=True) for row in held_out_rows(folder, one)
    ]
    points = list(sweep_points(settings["sweeps"], read_rows(args.scores, TrainingRow, may_be_empty=True)))
    write_rows(args.history, TrainingHistoryRow, steps)
    write_rows(args.held_out, TrainingHeldOutRow, held_out)
    write_rows(args.sweeps, SweepPoint, points)
    write_rows(args.output, TrainedRow, trained)
    logger.info("%d trainings, %d cells of sweeps", len(trained), len(points))


if __name__ == "__main__":
    exit_with(main)
