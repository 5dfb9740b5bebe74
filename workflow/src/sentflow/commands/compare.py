"""Scores, folds and predictions of all tasks and encoders -> which encoders differ."""

import argparse
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from sentflow.files.io import write_json
from sentflow.jobs.log import command, exit_with

if TYPE_CHECKING:
    import numpy as np

logger = logging.getLogger(__name__)

OUTPUTS = ("pairs", "standings", "ranks", "across", "power", "omnibus")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--scores", nargs="+", type=Path, required=True, help="score files; tables and predictions beside"
    )
    parser.add_argument("--rows", nargs="+", type=Path, required=True, help="the table of each task")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"tasks", "models", "order": as for summarise, "sources": of tasks, "statistics": {"level", …}}',
    )
    for name in OUTPUTS:
        parser.add_argument(f"--{name}", type=Path, required=True, help="file to write")


@command(arguments, libraries=["numpy", "scipy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.compare.across import (
        Grid,
        across_rows,
        adjusted_over_tasks,
        omnibus_facts,
        omnibus_of,
        rank_rows,
    )
    from sentflow.compare.rows import AcrossRow, PairRow, PowerRow, RankRow, StandingRow
    from sentflow.compare.scores import in_order, score_row
    from sentflow.compare.task_files import ScoreFiles, task_scores
    from sentflow.compare.tasks import ComparisonSettings, compare_task
    from sentflow.files.rows import write_rows
    from sentflow.files.sealed import read_sealed

    settings = json.loads(args.settings)
    statistics = ComparisonSettings(**settings["statistics"])
    tasks, models = settings["order"]
    rows = [score_row(read_sealed(file), settings) for file in args.scores]
    files = {
        (row.task, row.model): ScoreFiles.beside(file) for row, file in zip(rows, args.scores, strict=True)
    }
    rows = sorted(in_order(rows), key=lambda row: (tasks.index(row.task), models.index(row.model)))
    task_tables = {table.stem: table for table in args.rows}
    fold_scores: dict[tuple[str, str], np.ndarray] = {}
    comparisons = []
    for task in tasks:
        found = task_scores([row for row in rows if row.task == task], files, task_tables, statistics)
        if found is not None:
            comparisons.append(compare_task(found))
            fold_scores |= {(task, row.model): found.folds[:, index] for index, row in enumerate(found.rows)}
            logger.info("%s: %d encoders", task, len(found.rows))
    grid = Grid(
        {task: settings["sources"][task] for task in tasks},
        {name: (settings["models"][name]["title"], settings["models"][name]["control"]) for name in models},
        fold_scores,
        folds=rows[0].folds,
        seed=rows[0].seed,
    )
    if grid.incomplete:
        logger.warning("without a score on every task: %s", ", ".join(grid.incomplete))
    pairs = adjusted_over_tasks([pair for one in comparisons for pair in one.pairs], statistics)
    differences = omnibus_of(grid)
    write_rows(args.pairs, PairRow, pairs)
    write_rows(args.standings, StandingRow, [row for one in comparisons for row in one.standings])
    write_rows(args.power, PowerRow, [row for one in comparisons for row in one.power])
    write_rows(args.ranks, RankRow, rank_rows(grid, statistics))
    write_rows(args.across, AcrossRow, across_rows(grid, pairs, differences, statistics))
    write_json(args.omnibus, omnibus_facts(grid, differences, statistics))
    logger.info("%d encoders, %d tasks, %d pairs", len(models), len(tasks), len(pairs))


if __name__ == "__main__":
    exit_with(main)
