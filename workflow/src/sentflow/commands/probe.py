"""Probe the embeddings of a task: one file of scores and one of predictions per fold."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from sentflow.jobs.arguments import probe_parser
from sentflow.jobs.log import exit_with, start_log


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = probe_parser("probe", __doc__)
    arguments.add_argument("--texts", type=Path, required=True, help="the collection that was embedded")
    arguments.add_argument("--embeddings", type=Path, required=True, help=".npy, one row per distinct text")
    arguments.add_argument("--info", type=Path, required=True, help="the JSON next to the embeddings")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("probe", args, libraries=["torch", "numpy"])
    from sentflow.probing.features.embedded import embedded_rows
    from sentflow.probing.features.sources import FixedFeatures
    from sentflow.probing.job import run
    from sentflow.texts.collection import read_collection

    texts = read_collection(args.texts)
    run(args, lambda table, _: FixedFeatures(embedded_rows(table, args.embeddings, args.info, texts)))
    return 0


if __name__ == "__main__":
    exit_with(main)
