"""Probe the embeddings of a task: one file of scores and one of predictions per fold."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from sentflow.jobs.arguments import probe_parser
from sentflow.jobs.log import exit_with, start_log


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = probe_parser("probe", __doc__)
    arguments.add_argument(
        "--texts",
        type=Path,
        nargs="?",
        help="distinct texts of the task's dataset; without a file, the embeddings are of the task's own",
    )
    arguments.add_argument("--embeddings", type=Path, required=True, help=".npy, one row per distinct text")
    arguments.add_argument("--info", type=Path, required=True, help="the JSON beside the embeddings")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("probe", args, libraries=["torch", "numpy"])
    from sentflow.probing.cross_validation import FixedFeatures
    from sentflow.probing.features.embedded import embedded_rows
    from sentflow.probing.job import ProbeSettings, probe_task
    from sentflow.texts.collection import read_texts
    from sentflow.texts.table import read_task

    table = read_task(args.task)
    texts = None if args.texts is None else read_texts(args.texts)
    source = FixedFeatures(embedded_rows(table, args.embeddings, args.info, texts))
    probe_task(source, table, ProbeSettings.from_json(args.settings), args.output, device=args.device)
    return 0


if __name__ == "__main__":
    exit_with(main)
