"""Rule build_index: the vectors of the documents of a corpus, or weights of their terms → an index of them."""

import argparse
import json
import logging
import time
from pathlib import Path

from sentflow.files.io import write_digest, write_json
from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.vector_files import add_vector_arguments

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--corpus", type=Path, required=True, help="documents")
    add_vector_arguments(parser, sides=("document",))
    parser.add_argument("--settings", required=True, help='JSON: {"index"}, and "similarity" or "impacts"')
    parser.add_argument("--output", type=Path, required=True, help=".index; its digest is put beside it")
    parser.add_argument("--made", type=Path, required=True, help="output, .json: how long it took")


@command(arguments, libraries=["numpy", "faiss-cpu", "pyseismic-lsr"])
def main(args: argparse.Namespace) -> None:
    """Read vectors, build, write."""
    from sentflow.retrieval.approximate import build, check, write_index
    from sentflow.retrieval.indexes.contract import IndexSettings
    from sentflow.retrieval.indexes.files import Indexed
    from sentflow.texts.corpora import read_corpus

    settings = json.loads(args.settings)
    check(IndexSettings.of(settings["index"]))
    indexed = Indexed.of(args, read_corpus(args.corpus), settings)
    started = time.process_time()
    index = build(indexed.corpus, indexed.settings)
    seconds = time.process_time() - started
    write_index(args.output, index)
    write_digest(args.output)
    n_bytes, n_vectors = args.output.stat().st_size, len(indexed.read.documents)
    write_json(args.made, {"cpu_seconds": round(seconds, 3), "n_vectors": n_vectors, "bytes": n_bytes})
    logger.info("%d vectors in %.1f CPU seconds, %d bytes", n_vectors, seconds, n_bytes)


if __name__ == "__main__":
    exit_with(main)
