"""Probe a task with features that a user's own class made of its rows: files as those of `probe`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from sentflow.jobs.arguments import probe_parser
from sentflow.jobs.log import exit_with, start_log


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = probe_parser("probe_featurised", __doc__)
    arguments.add_argument("--features", type=Path, required=True, help=".npy, one row per row of the task")
    arguments.add_argument("--info", type=Path, required=True, help="the JSON next to the features")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("probe_featurised", args, libraries=["torch", "numpy"])
    from sentflow.encoders.vectors.storage import read_embeddings
    from sentflow.probing.features.featurised import row_texts
    from sentflow.probing.features.sources import FixedFeatures
    from sentflow.probing.job import run

    run(
        args,
        lambda table, _: FixedFeatures(read_embeddings(args.features, args.info, row_texts(table))),
    )
    return 0


if __name__ == "__main__":
    exit_with(main)
