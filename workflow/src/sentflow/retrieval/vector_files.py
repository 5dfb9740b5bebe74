"""The vectors of a search, as jobs are given them: of documents or passages, and of questions."""

import argparse
from pathlib import Path

import numpy as np

from sentflow.retrieval.dense import Vectors
from sentflow.texts.corpora import Corpus, Questions, read_passages
from sentflow.texts.lookup import read_vectors


def add_vector_arguments(parser: argparse.ArgumentParser, *, sides: tuple[str, ...]) -> None:
    """Passages, and vectors of documents, of questions, or of both."""
    parser.add_argument(
        "--passages",
        type=Path,
        nargs="*",
        default=[],
        help="parts of documents that were embedded in their stead",
    )
    for side in sides:
        files = "their texts (Parquet), vectors (.npy) and what describes these (.json)"
        parser.add_argument(f"--{side}-vectors", type=Path, nargs=3, required=True, help=f"{side}s: {files}")


def document_vectors(args: argparse.Namespace, corpus: Corpus) -> Vectors:
    """The vectors that stand for the documents of a corpus.

    Raises
    ------
    DataError
        A file is missing or damaged, or the files do not belong together.
    """
    found = read_vectors(*args.document_vectors)
    if args.passages:
        passages = read_passages(args.passages[0])
        owners, parts = passages.documents, passages.texts
    else:
        texts = corpus.whole_texts()
        owners = np.array([row for row, text in enumerate(texts) if text], dtype=np.int64)
        parts = [texts[row] for row in owners.tolist()]
    return Vectors(found.vectors[found.rows.of(parts, whose=f"the corpus {corpus.name}")], owners)


def question_vectors(args: argparse.Namespace, questions: Questions) -> np.ndarray:
    """(q, d) float32 vectors of the questions, in their order.

    Raises
    ------
    DataError
        A file is missing or damaged, or the files do not belong together.
    """
    found = read_vectors(*args.question_vectors)
    values: np.ndarray = found.vectors[
        found.rows.of(questions.texts, whose=f"the questions {questions.name}")
    ]
    return values
