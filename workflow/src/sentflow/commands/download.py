"""Rule download: one file of a dataset from a mirror or its address, with the checksum of the catalog."""

import argparse
import json
import os
from pathlib import Path

from sentflow.downloads.download import download
from sentflow.downloads.mirrors import mirrors_in_use
from sentflow.downloads.retries import RetryPolicy
from sentflow.downloads.transfer import ATTEMPTS, Patience
from sentflow.errors import DataError
from sentflow.files.checksums import CatalogFile
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.log import command, exit_with


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--dataset", required=True, help="name in the catalog")
    parser.add_argument("--file", required=True, help="name of the file in the dataset")
    parser.add_argument("--settings", required=True, help="JSON: the file's entry in the catalog")
    parser.add_argument("--mirrors", default="[]", help="JSON: folders or base URLs, tried first")
    add_limits(parser)
    parser.add_argument("--timeout-seconds", type=float, default=Patience.read_seconds)
    parser.add_argument("--attempts", type=int, default=ATTEMPTS, help="tries per address")
    parser.add_argument("--output", type=Path, required=True)


@command(arguments, libraries=["requests"])
def main(args: argparse.Namespace) -> None:
    """Download, verify, and give the file its name."""
    use_limits(args)
    file = CatalogFile.from_settings(
        json.loads(args.settings), where=f"datasets.{args.dataset}.files.{args.file}"
    )
    mirrors = mirrors_in_use(json.loads(args.mirrors), os.environ)
    patience = Patience(read_seconds=args.timeout_seconds, retries=RetryPolicy.of(max(1, args.attempts)))
    try:
        download(file, args.output, mirrors=mirrors, patience=patience)
    except OSError as error:
        raise DataError(f"{args.output} could not be written: {error}") from error


if __name__ == "__main__":
    exit_with(main)
