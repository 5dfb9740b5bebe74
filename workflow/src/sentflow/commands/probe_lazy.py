"""Probe a task with an encoder that is fitted inside each fold: files as those of `probe`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from sentflow.log import exit_with, start_log


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = argparse.ArgumentParser(prog="python -m sentflow.commands.probe_lazy", description=__doc__)
    arguments.add_argument("--task", type=Path, required=True, help="task table")
    arguments.add_argument("--manifest", type=Path, required=True, help="of the encoder")
    arguments.add_argument("--settings", required=True, help="JSON, see ProbeSettings")
    arguments.add_argument("--device", default="cpu", help="of torch")
    arguments.add_argument("--output", nargs="+", required=True, help="fold files, …/rep-R/fold-F.parquet")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("probe_lazy", args, libraries=["torch", "numpy", "scikit-learn"])
    from sentflow.data.table import read_task
    from sentflow.encoders.lazy import load_lazy_encoder
    from sentflow.encoders.manifest import read_manifest
    from sentflow.probing.features import LazyFeatures
    from sentflow.probing.job import ProbeSettings, probe_task

    table, settings = read_task(args.task), ProbeSettings.from_json(args.settings)
    source = LazyFeatures(
        table,
        load_lazy_encoder(read_manifest(args.manifest)),
        split_alternatives=settings.complete().switches.lazy_sep_layout == "alternatives",
    )
    probe_task(source, table, settings, args.output, device=args.device)
    return 0


if __name__ == "__main__":
    exit_with(main)
