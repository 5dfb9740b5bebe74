"""Rule search_terms: the terms of a corpus and of questions → the documents that BM25 ranks first."""

import argparse
import time
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    parser.add_argument("--terms", type=Path, required=True, help="those of the documents")
    parser.add_argument(
        "--counts",
        type=Path,
        nargs="*",
        default=[],
        help="of the whole corpus, where the documents are a shard",
    )


@command(arguments, libraries=["numpy", "bm25s"])
def main(args: argparse.Namespace) -> None:
    """Index, search, write."""
    from sentflow.retrieval.analysers import Analyser
    from sentflow.retrieval.bm25 import Bm25, Bm25Settings
    from sentflow.retrieval.sparsity import sparsity_of_terms
    from sentflow.retrieval.terms import read_counts, read_terms

    search = Search.of(args)
    where = f"retrievers.{search.retriever}"
    analyser = Analyser.from_settings(search.settings.pop("analyser"), where=f"{where}.analyser")
    settings = Bm25Settings(**search.settings)
    settings.check(where)
    counts = read_counts(args.counts[0]) if args.counts else None
    documents = read_terms(args.terms)
    index = Bm25(documents, settings, counts)
    start = time.perf_counter()
    # one question after the other, as they are asked: cutting them into terms is part of answering
    asked = [analyser.terms([text])[0] for text in search.questions.texts]
    cost = {"question_seconds": time.perf_counter() - start}
    cost |= sparsity_of_terms(asked, documents, index.n_bytes)
    search.write(index.search(asked, search.k), cost=cost)


if __name__ == "__main__":
    exit_with(main)
