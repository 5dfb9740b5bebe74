"""Rule prepare_corpus: raw files into the documents of a corpus."""

import argparse
import json
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.arguments import add_raw_arguments
from sentflow.jobs.log import command, exit_with
from sentflow.texts.corpora import write_corpus
from sentflow.texts.corpus_settings import CorpusSettings
from sentflow.texts.prepare_corpus import prepare_corpus


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", required=True, help="name in the catalog")
    add_raw_arguments(parser)
    add_limits(parser)
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, check, write the corpus."""
    use_limits(args)
    entry = {**json.loads(args.settings), **json.loads(args.checks)}
    settings = CorpusSettings.from_settings(entry, corpus=args.corpus)
    write_corpus(args.output, prepare_corpus(args.corpus, args.raw, settings))
    write_digest(args.output)


if __name__ == "__main__":
    exit_with(main)
