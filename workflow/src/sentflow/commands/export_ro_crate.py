"""The files of a run → an RO-Crate with checksums, data, encoders and versions."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError
from sentflow.exports.crate import names_in_crate, publication_date, write_crate
from sentflow.exports.scores import read_digests
from sentflow.files.io import read_json
from sentflow.jobs.log import exit_with, start_log

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="python -m sentflow.commands.export_ro_crate", description=__doc__)
    found.add_argument("--files", type=Path, nargs="+", required=True, help="files of the run")
    found.add_argument("--digests", type=Path, nargs="*", default=[], help="digests of the task tables")
    found.add_argument("--pair-digests", type=Path, nargs="*", default=[], help="digests of the pair sets")
    found.add_argument("--versions", type=Path, required=True, help="versions of the record")
    found.add_argument(
        "--settings",
        required=True,
        help='JSON: {"title", "description", "tasks" and "pair_sets": name → dataset, "datasets", "models": what is'
        " known of each}",
    )
    found.add_argument("--output", type=Path, required=True, help=".zip")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("export_ro_crate", args, libraries=["rocrate"])
    try:
        published = publication_date()
    except (ValueError, OverflowError, OSError) as error:
        raise ConfigError(
            f"the environment variable SOURCE_DATE_EPOCH is no date ({error}). Write seconds since 1970, or unset it."
        ) from error
    settings: dict[str, Any] = json.loads(args.settings)
    for task, digest in read_digests(args.digests).items():
        settings["datasets"][settings["tasks"][task]]["checksums"][f"task table {task}"] = digest
    for pairs, digest in read_digests(args.pair_digests).items():
        settings["datasets"][settings["pair_sets"][pairs]]["checksums"][f"pair set {pairs}"] = digest
    write_crate(
        args.output,
        names_in_crate(args.files),
        about=settings,
        versions=read_json(args.versions),
        published=published,
    )
    logger.info("%d files", len(args.files))
    return 0


if __name__ == "__main__":
    exit_with(main)
