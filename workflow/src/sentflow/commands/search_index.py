"""Rule search_index: an index of vectors and those of questions → the documents that are nearest, approximately."""

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


@command(arguments, libraries=["numpy", "faiss-cpu"])
def main(args: argparse.Namespace) -> None:
    """Read index and vectors, search, write."""
    from sentflow.retrieval.approximate import IndexSettings, read_index, search
    from sentflow.retrieval.vector_files import document_vectors, question_vectors, readings

    job = Search.of(args)
    documents, questions = document_vectors(args, job.corpus), question_vectors(args, job.questions)
    settings, similarity = IndexSettings.of(job.settings["index"]), job.settings["similarity"]
    index = read_index(args.index)
    found = search(index, questions.values, documents, job.depth, settings, similarity=similarity)
    read = readings(documents, questions)
    job.write(found, index=[args.index, args.document_vectors[1]], reading=read)


if __name__ == "__main__":
    exit_with(main)
