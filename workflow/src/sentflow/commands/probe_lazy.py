"""Probe a task with an encoder that is fitted inside each fold: files as those of `probe`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sentflow.jobs.arguments import add_call_seconds, add_probe_arguments, call_limit
from sentflow.jobs.log import command, exit_with

if TYPE_CHECKING:
    from sentflow.encoders.manifest import Manifest
    from sentflow.probing.features.sources import FeatureSource
    from sentflow.probing.protocol.settings import ProbeProtocol
    from sentflow.texts.table import TaskTable


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_probe_arguments(parser)
    parser.add_argument("--manifest", type=Path, required=True, help="of the encoder")
    add_call_seconds(parser)


@command(arguments, libraries=["torch", "numpy", "scikit-learn"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.encoders.manifest import read_manifest
    from sentflow.probing.job import run

    manifest, timeout_seconds = read_manifest(args.manifest), call_limit(args)

    def source(table: "TaskTable", protocol: "ProbeProtocol") -> "FeatureSource":
        split = protocol.switches.lazy_sep_layout == "alternatives"
        return lazy_source(manifest, table, split_alternatives=split, timeout_seconds=timeout_seconds)

    run(args, source)


def lazy_source(
    manifest: "Manifest",
    table: "TaskTable",
    *,
    split_alternatives: bool = False,
    timeout_seconds: float | None = None,
) -> "FeatureSource":
    """The features of a task's folds by the lazy encoder that a manifest describes; see `LazyFeatures`."""
    from sentflow.encoders.load import load_fitted_encoder
    from sentflow.probing.features.featurised import LazyFeaturised
    from sentflow.probing.features.rows import LazyFeatures

    encoder = load_fitted_encoder(manifest, task=table.info.task, timeout_seconds=timeout_seconds)
    if hasattr(encoder, "embed"):  # a user's class that makes the features of rows itself
        return LazyFeaturised(table, encoder)
    return LazyFeatures(table, encoder, split_alternatives=split_alternatives)


if __name__ == "__main__":
    exit_with(main)
