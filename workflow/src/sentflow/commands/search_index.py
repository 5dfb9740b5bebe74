"""Rule search_index: an index of vectors or weights, and those of questions → the documents that are nearest, about."""

import argparse
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments
from sentflow.retrieval.vector_files import add_vector_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    add_vector_arguments(parser, sides=("document", "question"))
    parser.add_argument("--index", type=Path, required=True, help="index of the documents' vectors")


@command(arguments, libraries=["numpy", "faiss-cpu", "pyseismic-lsr", "scipy"])
def main(args: argparse.Namespace) -> None:
    """Read index and vectors, search, write."""
    from sentflow.retrieval.approximate import check, read_index, search
    from sentflow.retrieval.indexes.contract import IndexSettings
    from sentflow.retrieval.indexes.files import Indexed
    from sentflow.retrieval.vector_files import readings

    job = Search.of(args)
    check(IndexSettings.of(job.settings["index"]))
    documents = Indexed.of(args, job.corpus, job.settings)
    questions = documents.questions(args, job.questions)
    index = read_index(args.index, documents.settings, documents.corpus)
    found = search(index, questions.values, documents.corpus, job.k)
    cost = documents.corpus.cost(questions.values)
    cost.pop("index_bytes", None)  # files are searched, and not arrays
    read = readings(documents.read, questions)
    job.write(found, index=[args.index, args.document_vectors[1]], cost=cost, reading=read)


if __name__ == "__main__":
    exit_with(main)
