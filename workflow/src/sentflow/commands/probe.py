"""Probe the embeddings of a task: one file per fold."""

import argparse
from pathlib import Path

from sentflow.jobs.arguments import add_probe_arguments
from sentflow.jobs.log import command, exit_with


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_probe_arguments(parser)
    parser.add_argument("--texts", type=Path, required=True, help="the collection that was embedded")
    parser.add_argument("--embeddings", type=Path, required=True, help=".npy, one row per distinct text")
    parser.add_argument("--info", type=Path, required=True, help="the JSON beside the embeddings")


@command(arguments, libraries=["torch", "numpy"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.probing.features.embedded import embedded_rows
    from sentflow.probing.features.sources import FixedFeatures
    from sentflow.probing.job import run
    from sentflow.texts.collection import read_collection

    texts = read_collection(args.texts)
    run(args, lambda table, _: FixedFeatures(embedded_rows(table, args.embeddings, args.info, texts)))


if __name__ == "__main__":
    exit_with(main)
