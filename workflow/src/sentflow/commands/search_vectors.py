"""Rule search_vectors: the vectors of documents and of questions → the documents that are nearest."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments

if TYPE_CHECKING:
    from sentflow.encoders.protocol import Reading
    from sentflow.texts.lookup import TextVectors


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
        files = (
            "their texts (Parquet), vectors and numbers of tokens (.npy), and what describes these (.json)"
        )
        parser.add_argument(f"--{side}-vectors", type=Path, nargs=4, required=True, help=f"{side}s: {files}")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read vectors, search, write."""
    import numpy as np

    from sentflow.retrieval.dense import Vectors, search
    from sentflow.retrieval.reading import counts
    from sentflow.texts.corpora import read_passages

    job = Search.of(args)
    (documents, of_documents), (questions, of_questions) = (
        _read(args.document_vectors),
        _read(args.question_vectors),
    )
    if not args.passages:
        texts = job.corpus.whole_texts()
        owners = np.array([row for row, text in enumerate(texts) if text], dtype=np.int64)
        parts = [texts[row] for row in owners.tolist()]
    else:
        passages = read_passages(args.passages[0])
        owners, parts = passages.documents, passages.texts
    rows = documents.rows.of(parts, whose=f"the corpus {job.corpus_name}")
    asked = questions.rows.of(job.questions.texts, whose=f"the questions {job.questions.name}")
    vectors = Vectors(documents.vectors[rows], owners)
    reading = {
        "documents": counts(of_documents, rows, owners),
        "questions": counts(of_questions, asked, np.arange(len(asked))),
    }
    found = search(questions.vectors[asked], vectors, job.depth, similarity=job.settings["similarity"])
    job.write(found, index=[args.document_vectors[1]], reading=reading)


def _read(files: Sequence[Path]) -> "tuple[TextVectors, Reading | None]":
    """The vectors of a collection, and how much of its texts was read."""
    from sentflow.encoders.vectors.storage import read_tokens
    from sentflow.texts.lookup import read_vectors

    texts, vectors, tokens, info = files
    return read_vectors(texts, vectors, info), read_tokens(tokens, info)


if __name__ == "__main__":
    exit_with(main)
