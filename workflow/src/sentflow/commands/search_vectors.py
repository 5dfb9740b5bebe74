"""Rule search_vectors: the vectors of documents and of questions → the documents that are nearest."""

import argparse

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments
from sentflow.retrieval.vector_files import add_vector_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    add_vector_arguments(parser, sides=("document", "question"))


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read vectors, search, write."""
    from sentflow.retrieval.dense import search
    from sentflow.retrieval.sparsity import cost_of_vectors
    from sentflow.retrieval.vector_files import document_vectors, question_vectors, readings

    job = Search.of(args)
    documents, questions = document_vectors(args, job.corpus), question_vectors(args, job.questions)
    found = search(questions.values, documents, job.k, similarity=job.settings["similarity"])
    job.write(found, cost=cost_of_vectors(documents.values), reading=readings(documents, questions))


if __name__ == "__main__":
    exit_with(main)
