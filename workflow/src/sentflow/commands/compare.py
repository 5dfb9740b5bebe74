"""Scores, folds and predictions of all tasks and encoders -> which encoders differ."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.sealed import write_sealed
from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)

OUTPUTS = ("pairs", "standings", "ranks", "across", "omnibus")


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
    from sentflow.compare.protocol_groups import by_protocol
    from sentflow.compare.rows import AcrossRow, PairRow, RankRow, StandingRow
    from sentflow.compare.task_files import scores_of_tasks
    from sentflow.compare.tasks import ComparisonSettings, compare_task
    from sentflow.files.rows import write_rows

    settings = json.loads(args.settings)
    statistics = ComparisonSettings(**settings["statistics"])
    tasks, models = settings["order"]
    rows, scores = scores_of_tasks(args.scores, args.rows, settings)
    comparisons = [compare_task(one) for one in scores]
    fold_scores = {
        (row.task, row.model): one.folds[:, index] for one in scores for index, row in enumerate(one.rows)
    }
    grids = [
        Grid(
            protocol,
            {row.task: settings["sources"][row.task] for row in members},
            {
                name: (settings["models"][name]["title"], settings["models"][name]["control"])
                for name in models
            },
            fold_scores,
            folds=rows[0].folds,
            seed=rows[0].seed,
            documents={row.task: row.effective_documents for row in members if row.n_documents},
        )
        for protocol, members in by_protocol(rows).items()
    ]
    pairs = adjusted_over_tasks([pair for one in comparisons for pair in one.pairs], statistics)
    ranks: list[RankRow] = []
    across: list[AcrossRow] = []
    omnibus = {}
    for grid in grids:
        if grid.incomplete:
            logger.warning(
                "without a score on every task of protocol %s: %s", grid.protocol, ", ".join(grid.incomplete)
            )
        together = omnibus_of(grid)
        ranks += rank_rows(grid, statistics)
        across += across_rows(grid, pairs, together, statistics)
        omnibus[grid.protocol] = omnibus_facts(grid, together, statistics)
    write_rows(args.pairs, PairRow, pairs)
    write_rows(args.standings, StandingRow, [row for one in comparisons for row in one.standings])
    write_rows(args.ranks, RankRow, ranks)
    write_rows(args.across, AcrossRow, across)
    write_sealed(args.omnibus, omnibus)
    logger.info("%d encoders, %d tasks, %d pairs", len(models), len(tasks), len(pairs))


if __name__ == "__main__":
    exit_with(main)
