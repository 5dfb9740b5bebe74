"""Rule search_sparse: terms of documents and of questions → the documents of the greatest products of weights.

With `candidates`, they are so many, and the vectors of shared terms order them.
"""

import argparse
from typing import Any

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments
from sentflow.retrieval.vector_files import add_vector_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    add_vector_arguments(parser, sides=("document", "question"))


@command(arguments, libraries=["numpy", "pyarrow", "scipy"])
def main(args: argparse.Namespace) -> None:
    """Read weights, round them if that is asked for, search; order by vectors if that is asked for; write."""
    from sentflow.retrieval.indexes.weights import SearchedWeights
    from sentflow.retrieval.second_stage import TermCorpus, reordered
    from sentflow.retrieval.sparse_files import read_terms, read_weights, refuse_other_terms
    from sentflow.retrieval.vector_files import document_vectors, question_vectors, readings

    job = Search.of(args)
    refuse_other_terms(args.document_vectors[-1], args.question_vectors[-1])
    second = "candidates" in job.settings
    read = read_terms if second else read_weights
    documents: Any = document_vectors(args, job.corpus, read=read)
    questions: Any = question_vectors(args, job.questions, read=read)
    weights, asked = (one.values.weights if second else one.values for one in (documents, questions))
    corpus = SearchedWeights.of(weights, documents.documents, job.settings.get("impacts"))
    found = corpus.exact(asked, job.settings.get("candidates", job.k))
    vectors = None
    if second:
        ordered = TermCorpus(documents.values, documents.documents)
        found, vectors = reordered(found, questions.values, ordered, job.k), ordered.values.vectors
    job.write(found, cost=corpus.cost(asked, vectors=vectors), reading=readings(documents, questions))


if __name__ == "__main__":
    exit_with(main)
