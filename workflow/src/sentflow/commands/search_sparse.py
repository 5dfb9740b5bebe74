"""Rule search_sparse: the weights of terms of documents and of questions → the documents of the greatest products."""

import argparse

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments
from sentflow.retrieval.vector_files import add_vector_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    add_vector_arguments(parser, sides=("document", "question"))


@command(arguments, libraries=["numpy", "pyarrow", "scipy"])
def main(args: argparse.Namespace) -> None:
    """Read weights, round them if that is asked for, search, write."""
    from sentflow.retrieval.indexes.weights import SearchedWeights
    from sentflow.retrieval.sparse_files import read_weights, refuse_other_terms
    from sentflow.retrieval.vector_files import document_vectors, question_vectors, readings

    job = Search.of(args)
    refuse_other_terms(args.document_vectors[-1], args.question_vectors[-1])
    documents = document_vectors(args, job.corpus, read=read_weights)
    questions = question_vectors(args, job.questions, read=read_weights)
    corpus = SearchedWeights.of(documents.values, documents.documents, job.settings.get("impacts"))
    found = corpus.exact(questions.values, job.depth)
    job.write(found, cost=corpus.cost(questions.values), reading=readings(documents, questions))


if __name__ == "__main__":
    exit_with(main)
