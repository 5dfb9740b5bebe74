"""Rule search_vectors: the vectors of documents and of questions → the documents that are nearest."""

import argparse
from pathlib import Path

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_search_arguments(parser)
    parser.add_argument(
        "--passages",
        type=Path,
        nargs="*",
        default=[],
        help="parts of documents that were embedded in their stead",
    )
    for side in ("document", "question"):
        files = "their texts (Parquet), vectors (.npy) and what describes these (.json)"
        parser.add_argument(f"--{side}-vectors", type=Path, nargs=3, required=True, help=f"{side}s: {files}")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read vectors, search, write."""
    import numpy as np

    from sentflow.retrieval.dense import Vectors, search
    from sentflow.texts.corpora import read_passages
    from sentflow.texts.lookup import read_vectors

    job = Search.of(args)
    documents, questions = read_vectors(*args.document_vectors), read_vectors(*args.question_vectors)
    if not args.passages:
        texts = job.corpus.whole_texts()
        owners = np.array([row for row, text in enumerate(texts) if text], dtype=np.int64)
        parts = [texts[row] for row in owners.tolist()]
    else:
        passages = read_passages(args.passages[0])
        owners, parts = passages.documents, passages.texts
    rows = documents.rows.of(parts, whose=f"the corpus {job.corpus.name}")
    asked = questions.rows.of(job.questions.texts, whose=f"the questions {job.questions.name}")
    vectors = Vectors(documents.vectors[rows], owners)
    job.write(
        search(questions.vectors[asked], vectors, job.depth, similarity=job.settings["similarity"]),
        index=[args.document_vectors[1]],
    )


if __name__ == "__main__":
    exit_with(main)
