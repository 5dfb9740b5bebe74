"""Score files of all tasks and models -> the summary of scores and the training curves."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.compare.score_rows import ScoreRow
from sentflow.compare.scores import in_order, score_row
from sentflow.errors import DataError
from sentflow.files.result_names import name_in_results
from sentflow.files.rows import write_rows
from sentflow.files.sealed import read_sealed
from sentflow.jobs.arguments import add_score_files
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.probing.rows import CurveRow
from sentflow.report.families.probing.summary import curve_rows, folds_per_epoch

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add_score_files(parser)
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"tasks": {name: {"title", "family"}}, "models": {name: {"title", "control"}}}',
    )
    parser.add_argument("--summary", type=Path, required=True, help="Parquet file to write")
    parser.add_argument("--curves", type=Path, required=True, help="Parquet file to write")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    if len(args.scores) != len(args.tables):
        raise DataError(
            f"{len(args.scores)} score files but {len(args.tables)} score tables: "
            "--tables must name the table next to each file of --scores, in the same order."
        )
    settings = json.loads(args.settings)
    rows: list[ScoreRow] = []
    curves: list[CurveRow] = []
    for scores_file, table_file in zip(args.scores, args.tables, strict=True):
        scores = read_sealed(scores_file)
        try:
            row = score_row(scores, settings)
            refuse_other_place(Path(scores_file), row)
            curves += curve_rows(row, scores["published"], folds_per_epoch(table_file))
        except DataError as error:
            raise DataError(f"{scores_file}: {error}") from error
        rows.append(row)
    rows = in_order(rows)
    order = {(row.task, row.model): index for index, row in enumerate(rows)}
    curves.sort(key=lambda curve: order[curve.task, curve.model])
    write_rows(args.summary, ScoreRow, rows)
    write_rows(args.curves, CurveRow, curves)
    logger.info("%d scores, %d points of training curves", len(rows), len(curves))


def refuse_other_place(file: Path, row: ScoreRow) -> None:
    """Refuse a score file that lies where another belongs.

    Raises
    ------
    DataError
        It is of another task or encoder than its path says.
    """
    name = name_in_results(file.as_posix())
    if name is not None and not name.endswith(f"scores/{row.task}/{row.model}.json"):
        raise DataError(
            f"it is the score of {row.model} on {row.task}, in the place of another. Delete it and "
            "run snakemake again."
        )


if __name__ == "__main__":
    exit_with(main)
