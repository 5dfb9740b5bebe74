"""Rule embed_task: the texts of a dataset with the prompt that a model's entry has for one task."""

import argparse
from collections.abc import Sequence

from sentflow.commands.embed import LIBRARIES, add_arguments, embed
from sentflow.log import exit_with, start_log


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m sentflow.commands.embed_task", description=__doc__)
    add_arguments(parser)
    parser.add_argument("--task", required=True, help="whose prompt is used")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """As embed, for one task."""
    args = parser().parse_args(argv)
    start_log("embed_task", args, libraries=LIBRARIES)
    embed(args, dataset=args.texts.stem, task=args.task)
    return 0


if __name__ == "__main__":
    exit_with(main)
