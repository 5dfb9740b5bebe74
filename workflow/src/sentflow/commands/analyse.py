"""Rule analyse: the documents of a corpus into terms, once for all retrievers that count them alike."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.io import write_digest
from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.terms import write_terms
from sentflow.texts.corpora import read_corpus

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", type=Path, required=True, help="documents")
    parser.add_argument("--analyser", required=True, help="its name")
    parser.add_argument("--settings", required=True, help="JSON: the analyser's entry")
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, cut, write."""
    corpus = read_corpus(args.corpus)
    analyser = Analyser.from_settings(json.loads(args.settings), where=f"analysers.{args.analyser}")
    terms = analyser.terms(corpus.whole_texts())
    write_terms(args.output, terms, corpus=corpus.name, analyser=args.analyser)
    write_digest(args.output)
    logger.info("%s: %d terms in %d documents", corpus.name, sum(map(len, terms)), len(terms))


if __name__ == "__main__":
    exit_with(main)
