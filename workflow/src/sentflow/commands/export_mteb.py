"""Every score → MTEB's result files, in the layout of its own results folder."""

import argparse
import logging
from pathlib import Path

from sentflow.compare.fold_scores import fold_scores
from sentflow.exports.mteb import model_meta, run_settings, task_result
from sentflow.exports.scores import ExportSettings, read_digests, read_scores
from sentflow.files.io import read_json, write_json, write_text
from sentflow.jobs.arguments import add_export_arguments
from sentflow.jobs.log import command, exit_with
from sentflow.report.rows import unique

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add_export_arguments(parser)
    parser.add_argument(
        "--tables", type=Path, nargs="+", required=True, help="score tables {task}/{model}.parquet"
    )
    parser.add_argument("--versions", type=Path, required=True, help="versions of the record")
    parser.add_argument(
        "--output",
        type=Path,
        nargs="+",
        required=True,
        help="every file {owner__model}/{revision}/{name} to write",
    )


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    settings = ExportSettings.from_json(args.settings)
    tasks = settings.task_facts(read_digests(args.digests))
    rows, versions = read_scores(args.summary), read_json(args.versions)
    table_of = {(file.parent.name, file.stem): file for file in args.tables}
    file_of = {"/".join(file.parts[-3:]): file for file in args.output}
    for row in rows:
        folds = fold_scores(table_of[row.task, row.model]).tolist()
        file = file_of[f"{settings.models[row.model].folder}/{row.task}.json"]
        write_json(file, task_result(row, tasks[row.task], folds))
    for model in unique(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        facts = settings.models[model]
        write_json(file_of[f"{facts.folder}/model_meta.json"], model_meta(facts, own[0].dimension))
        text = run_settings([row.task for row in own], versions)
        write_text(file_of[f"{facts.folder}/run_settings.jsonl"], text)
    logger.info("%d results", len(rows))


if __name__ == "__main__":
    exit_with(main)
