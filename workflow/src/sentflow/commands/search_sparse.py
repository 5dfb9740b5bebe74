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
    from sentflow.retrieval.second_stage import TermCorpus, reordered
    from sentflow.retrieval.sparse import Impacts, SparseVectors, search
    from sentflow.retrieval.sparse_files import read_terms, read_weights, refuse_other_terms
    from sentflow.retrieval.sparsity import sparsity
    from sentflow.retrieval.vector_files import document_vectors, question_vectors, readings

    job = Search.of(args)
    refuse_other_terms(args.document_vectors[-1], args.question_vectors[-1])
    second = "candidates" in job.settings
    read = read_terms if second else read_weights
    documents: Any = document_vectors(args, job.corpus, read=read)
    questions: Any = question_vectors(args, job.questions, read=read)
    weights, asked = (one.values.weights if second else one.values for one in (documents, questions))
    step, vectors = 1.0, None
    if "impacts" in job.settings:
        impacts = Impacts.of(weights, job.settings["impacts"])
        weights, step = impacts.values, impacts.step
    n_found = job.settings.get("candidates", job.depth)
    found = search(asked, SparseVectors(weights, documents.documents), n_found, step=step)
    if second:
        corpus = TermCorpus(documents.values, documents.documents)
        found, vectors = reordered(found, questions.values, corpus, job.depth), corpus.values.vectors
    cost = sparsity(asked, weights, vectors=vectors)
    job.write(found, cost=cost, reading=readings(documents, questions))


if __name__ == "__main__":
    exit_with(main)
