"""Probe a task with features that a user's own class made of its rows: files as those of `probe`."""

import argparse
from pathlib import Path

from sentflow.jobs.arguments import add_probe_arguments
from sentflow.jobs.log import command, exit_with


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_probe_arguments(parser)
    parser.add_argument("--features", type=Path, required=True, help=".npy, one row per row of the task")
    parser.add_argument("--info", type=Path, required=True, help="the JSON beside the features")


@command(arguments, libraries=["torch", "numpy"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.encoders.vectors.storage import read_embeddings
    from sentflow.probing.features.featurised import row_texts
    from sentflow.probing.features.sources import FixedFeatures
    from sentflow.probing.job import run

    run(
        args,
        lambda table, _: FixedFeatures(read_embeddings(args.features, args.info, row_texts(table))),
    )


if __name__ == "__main__":
    exit_with(main)
