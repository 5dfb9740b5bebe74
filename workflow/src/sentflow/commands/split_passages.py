"""Rule split_passages: the documents of a corpus into passages."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.jobs.log import command, exit_with
from sentflow.texts.corpora import read_corpus, write_passages
from sentflow.texts.split_passages import PassageSettings, split_corpus

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", type=Path, required=True, help="documents")
    parser.add_argument("--passages", required=True, help="name of the settings in the catalog")
    parser.add_argument("--settings", required=True, help='JSON: {"words", "overlap", "title"}')
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, cut, write."""
    settings = PassageSettings(**json.loads(args.settings))
    settings.check(f"passages.{args.passages}")
    corpus = read_corpus(args.corpus)
    found = split_corpus(corpus, args.passages, settings)
    write_passages(args.output, found)
    write_digest(args.output)
    logger.info("%s: %d passages of %d documents", corpus.name, len(found.texts), len(corpus))


if __name__ == "__main__":
    exit_with(main)
