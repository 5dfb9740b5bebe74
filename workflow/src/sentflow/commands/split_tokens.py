"""Rule split_tokens: the documents of a corpus into passages of so many tokens of an encoder."""

import argparse
import json
import logging
import os
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.jobs.log import command, exit_with
from sentflow.texts.corpora import read_corpus, write_passages
from sentflow.texts.split_passages import PassageSettings, split_corpus

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", type=Path, required=True, help="documents")
    parser.add_argument(
        "--passages", required=True, help="name of the settings in the catalog, / and the encoder"
    )
    parser.add_argument("--manifest", type=Path, required=True, help="results/models/<model>/manifest.json")
    parser.add_argument("--settings", required=True, help='JSON: {"tokens", "overlap", "title"}')
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["pyarrow", "tokenizers", "transformers"])
def main(args: argparse.Namespace) -> None:
    """Read, cut, write."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from sentflow.encoders.kinds.neural.tokenizer import load_tokenizer
    from sentflow.encoders.manifest import read_manifest

    settings = PassageSettings(**json.loads(args.settings))
    settings.check(f"passages.{args.passages.partition('/')[0]}")
    tokenizer = load_tokenizer(read_manifest(args.manifest), args.manifest.parent)
    corpus = read_corpus(args.corpus)
    found = split_corpus(corpus, args.passages, settings, tokenizer)
    write_passages(args.output, found, tokenizer_sha256=tokenizer.sha256)
    write_digest(args.output)
    logger.info("%s: %d passages of %d documents", corpus.name, len(found.texts), len(corpus))


if __name__ == "__main__":
    exit_with(main)
