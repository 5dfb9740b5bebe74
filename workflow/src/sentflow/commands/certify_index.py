"""Rule certify_index: an approximate index beside the exact search of the same vectors."""

import argparse
import logging
from pathlib import Path

from sentflow.files.io import read_json
from sentflow.files.sealed import write_sealed
from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments
from sentflow.retrieval.vector_files import add_vector_arguments

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    add_vector_arguments(parser, sides=("document", "question"))
    parser.add_argument("--index", type=Path, required=True, help="index of the documents' vectors")
    parser.add_argument("--made", type=Path, required=True, help="how it was made")


@command(
    arguments,
    libraries=["numpy", "faiss-cpu", "pyseismic-lsr", "ir-measures", "pytrec-eval-terrier", "scipy"],
)
def main(args: argparse.Namespace) -> None:
    """Search both ways, compare, write."""
    from sentflow.retrieval.approximate import check, read_index, search
    from sentflow.retrieval.certificate import certificate
    from sentflow.retrieval.indexes.contract import IndexSettings
    from sentflow.retrieval.indexes.files import Indexed

    job = Search.of(args)
    check(IndexSettings.of(job.settings["index"]))
    documents = Indexed.of(args, job.corpus, job.settings)
    corpus, settings = documents.corpus, documents.settings
    asked = documents.questions(args, job.questions).values
    index = read_index(args.index, settings, corpus)
    found = certificate(
        lambda: search(index, asked, corpus, job.depth),
        lambda: corpus.exact(asked, job.depth),
        job.questions,
        job.ids,
        {**job.settings["certificate"], "depth": job.depth},
    )
    about = {"questions": job.questions.name, "retriever": job.retriever, "corpus": job.corpus_name}
    parameters = {"kind": settings.kind, **settings.parameters}
    made = {**read_json(args.made), "vector_bytes": corpus.n_bytes}
    write_sealed(args.output, {**about, "depth": job.depth, "index": parameters, "made": made, **found})
    for recall in found["recalls"]:
        logger.info("recall@%d %.4f, 5th percentile %.4f", recall["k"], recall["mean"], recall["p5"])


if __name__ == "__main__":
    exit_with(main)
