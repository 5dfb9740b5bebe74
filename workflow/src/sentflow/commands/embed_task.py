"""Rule embed_task: the texts of one task with the prompts that a model's entry has for it."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from sentflow.commands.embed import add_arguments, embed
from sentflow.encoders.manifest import read_manifest
from sentflow.encoders.prompts import roles_of_texts
from sentflow.encoders.roles import SIDES, TEXT
from sentflow.errors import ConfigError
from sentflow.jobs.log import exit_with, start_log
from sentflow.texts.collection import distinct_texts, texts_of_sides
from sentflow.texts.table import read_task


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m sentflow.commands.embed_task", description=__doc__)
    add_arguments(parser)
    parser.add_argument("--task", type=Path, required=True, help="task table")
    parser.add_argument("--dataset", required=True, help="its name, for the description")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """As embed, for one task: all of its texts alike, or first and second texts each with a prompt."""
    args = parser().parse_args(argv)
    start_log("embed_task", args, libraries=["numpy"])
    manifest, table = read_manifest(args.manifest), read_task(args.task)
    texts_of_role = {TEXT: distinct_texts([table])}
    prompt_names = json.loads(args.settings).get("prompt_names", {})
    if roles_of_texts(prompt_names, table.info.task) == SIDES:
        if not table.text_b:
            raise ConfigError(
                f"prompt_names.tasks.{table.info.task}: the task has one text per row, so that there are no queries "
                "and documents. Write the name of one prompt."
            )
        texts_of_role = dict(zip(SIDES, texts_of_sides(table), strict=True))
    embed(args, manifest, texts_of_role, dataset=args.dataset, task=table.info.task)
    return 0


if __name__ == "__main__":
    exit_with(main)
