"""Rule collect_sentences: the distinct sentences of the pair sets of a family."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.jobs.log import exit_with, start_log
from sentflow.texts.collection import write_texts
from sentflow.texts.pairs import read_pairs

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(
        prog="python -m sentflow.commands.collect_sentences", description=__doc__
    )
    parser.add_argument("--pairs", type=Path, nargs="+", required=True, help="pair tables, in catalog order")
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Read the tables, write their sentences, each once and in order of first occurrence."""
    args = parser().parse_args(argv)
    start_log("collect_sentences", args, libraries=["pyarrow"])
    sentences = list(dict.fromkeys(text for path in args.pairs for text in read_pairs(path).texts()))
    write_texts(args.output, sentences)
    write_digest(args.output)
    logger.info("%d distinct sentences of %d pair sets", len(sentences), len(args.pairs))
    return 0


if __name__ == "__main__":
    exit_with(main)
