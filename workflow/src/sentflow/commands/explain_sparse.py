"""Rule explain_sparse: the questions worth reading → the terms by which a sparse search finds their documents."""

import argparse
import os
from functools import partial
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.shared_terms import add_explaining_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_explaining_arguments(parser)
    parser.add_argument(
        "--passages", type=Path, nargs="*", default=[], help="parts of documents, shard after shard"
    )
    vectors = "texts (Parquet), weights (.npz) and numbers of tokens (.npy)"
    parser.add_argument(
        "--document-vectors",
        type=Path,
        nargs="+",
        required=True,
        help=f"documents, shard after shard: {vectors}",
    )
    parser.add_argument(
        "--document-infos", type=Path, nargs="+", required=True, help="what describes those of each shard"
    )
    parser.add_argument(
        "--question-vectors",
        type=Path,
        nargs=4,
        required=True,
        help=f"{vectors}, what describes these (.json)",
    )
    parser.add_argument("--manifest", type=Path, required=True, help="results/models/<model>/manifest.json")


@command(arguments, libraries=["numpy", "pyarrow", "scipy", "tokenizers", "transformers"])
def main(args: argparse.Namespace) -> None:
    """Read, add up, name, write."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    from sentflow.encoders.kinds.neural.term_names import term_names
    from sentflow.encoders.manifest import read_manifest
    from sentflow.files.io import read_json
    from sentflow.retrieval.explaining_weights import explain_weights, files_by_shard
    from sentflow.retrieval.jobs import Search
    from sentflow.retrieval.shared_terms import write_shared_terms

    job = Search.of(args)
    described = read_json(args.question_vectors[-1])
    explain = partial(
        explain_weights,
        questions=job.questions,
        corpus=args.corpus,
        settings=job.settings,
        name=term_names(read_manifest(args.manifest), args.manifest.parent, described["vocabulary_sha256"]),
        documents=files_by_shard(args.document_vectors, args.document_infos),
        passages=args.passages,
        asked=args.question_vectors,
    )
    write_shared_terms(args, job, explain)


if __name__ == "__main__":
    exit_with(main)
