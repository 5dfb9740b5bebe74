"""Every score → files for the Hugging Face hub: .eval_results and a model card with a model-index."""

import argparse
import logging
from pathlib import Path

from sentflow.exports.huggingface import eval_results, model_card
from sentflow.exports.scores import ExportSettings, read_digests, read_scores
from sentflow.files.io import write_text
from sentflow.jobs.arguments import add_export_arguments
from sentflow.jobs.log import command, exit_with
from sentflow.report.rows import unique

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add_export_arguments(parser)
    parser.add_argument(
        "--output",
        type=Path,
        nargs="+",
        required=True,
        help="every file {model}/.eval_results/{task}.yaml and {model}/README.md to write",
    )


@command(arguments, libraries=["huggingface_hub", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    settings = ExportSettings.from_json(args.settings)
    tasks = settings.task_facts(read_digests(args.digests))
    rows = read_scores(args.summary)
    results = {(file.parts[-3], file.stem): file for file in args.output if file.suffix == ".yaml"}
    cards = {file.parts[-2]: file for file in args.output if file.suffix == ".md"}
    for model in unique(row.model for row in rows):
        own = [(row, tasks[row.task]) for row in rows if row.model == model]
        for row, task in own:
            write_text(results[model, row.task], eval_results(row, task))
        write_text(cards[model], model_card(settings.models[model], own))
    logger.info("%d results", len(rows))


if __name__ == "__main__":
    exit_with(main)
