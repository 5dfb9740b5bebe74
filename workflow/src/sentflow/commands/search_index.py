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
    from sentflow.retrieval.vector_files import document_vectors, question_vectors

    job = Search.of(args)
    vectors, asked = document_vectors(args, job.corpus), question_vectors(args, job.questions)
    settings = IndexSettings.of(job.settings["index"])
    found = search(
        read_index(args.index), asked, vectors, job.depth, settings, similarity=job.settings["similarity"]
    )
    job.write(found, index=[args.index, args.document_vectors[1]])


if __name__ == "__main__":
    exit_with(main)
