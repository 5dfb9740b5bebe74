"""The files of a run → an RO-Crate with checksums, data, encoders and versions."""

import argparse
import json
import logging
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError
from sentflow.exports.crate import names_in_crate, publication_date, write_crate
from sentflow.files.io import read_json
from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--files", type=Path, nargs="+", required=True, help="files of the run")
    parser.add_argument("--digests", type=Path, nargs="*", default=[], help="digests of the tables of data")
    parser.add_argument("--versions", type=Path, required=True, help="versions of the record")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"title", "description", "tables": file of --digests → [title, dataset], "datasets", '
        '"models": metadata of each}',
    )
    parser.add_argument("--output", type=Path, required=True, help=".zip")


@command(arguments, libraries=["rocrate"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    try:
        published = publication_date()
    except (ValueError, OverflowError, OSError) as error:
        raise ConfigError(
            f"the environment variable SOURCE_DATE_EPOCH is not a date ({error}). Write seconds since "
            "1970, or unset it."
        ) from error
    settings: dict[str, Any] = json.loads(args.settings)
    for file in args.digests:
        table, dataset = settings["tables"][str(file)]
        settings["datasets"][dataset]["checksums"][table] = read_json(file)["sha256"]
    write_crate(
        args.output,
        names_in_crate(args.files),
        about=settings,
        versions=read_json(args.versions),
        published=published,
    )
    logger.info("%d files", len(args.files))


if __name__ == "__main__":
    exit_with(main)
