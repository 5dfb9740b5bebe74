"""Texts of a family → some of them with their words in another order, to be embedded as well."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.geometry.permuted_texts import permute_texts, write_permuted
from sentflow.jobs.log import exit_with, start_log
from sentflow.texts.collection import read_texts

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="python -m sentflow.commands.permute_texts", description=__doc__)
    found.add_argument("--texts", type=Path, required=True, help="distinct texts of a family")
    found.add_argument(
        "--settings",
        required=True,
        help='JSON: {"n": at most so many texts, "seed"}; "unit": words, characters or auto (the default)',
    )
    found.add_argument(
        "--output", type=Path, required=True, help=".parquet; its digest is written next to it"
    )
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("permute_texts", args, libraries=["numpy", "pyarrow"])
    texts = read_texts(args.texts)
    permuted = permute_texts(texts, **json.loads(args.settings))
    write_permuted(args.output, permuted)
    write_digest(args.output)
    logger.info("%d of %d texts, %s permuted", len(permuted.texts), len(texts), permuted.unit)
    return 0


if __name__ == "__main__":
    exit_with(main)
