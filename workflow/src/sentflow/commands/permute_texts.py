"""Texts of a family → some of them with their words in another order, to be embedded as well."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.geometry.permuted_texts import permute_texts, write_permuted
from sentflow.jobs.log import command, exit_with
from sentflow.texts.collection import read_texts

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--texts", type=Path, required=True, help="distinct texts of a family")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"n": at most so many texts, "seed"}; "unit": words, characters or auto (the default)',
    )
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    texts = read_texts(args.texts)
    permuted = permute_texts(texts, **json.loads(args.settings))
    write_permuted(args.output, permuted)
    write_digest(args.output)
    logger.info("%d of %d texts, %s permuted", len(permuted.texts), len(texts), permuted.unit)


if __name__ == "__main__":
    exit_with(main)
