"""Approximate indexes beside the exact search, on one thread: python benchmarks/index_speed.py

Of dense vectors: made ones of 1,000 clusters in 384 dimensions, questions near some of them. Of weights of terms
(--weights): made ones of 1,000 topics over 30,000 terms, questions of terms of some documents; with --zalo FOLDER the
weights of BM25 of the syllables of real articles (legal_corpus.json, train_question_answer.json), each syllable of a
question weighing 1.
For each index: build time, size, recall of the 10 and of the 100 best documents (mean and 5th percentile over
questions), questions per CPU second. Prints a table in Markdown.
"""

import argparse
import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is imported

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from pydantic import TypeAdapter
from scipy.sparse import coo_array, csr_array

from sentflow.retrieval import approximate, dense
from sentflow.retrieval.approximate import recalls
from sentflow.retrieval.indexes.contract import Searched
from sentflow.retrieval.indexes.vectors import SearchedVectors
from sentflow.retrieval.indexes.weights import SearchedWeights
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.settings import DenseIndex, Seismic

SETTINGS: TypeAdapter[Any] = TypeAdapter(DenseIndex | Seismic)

OF_VECTORS: Sequence[Mapping[str, Any]] = (
    {"kind": "flat"},
    {"kind": "ivf-flat", "lists": 512, "probes": 8},
    {"kind": "ivf-flat", "lists": 512, "probes": 32},
    {"kind": "ivf-pq", "lists": 512, "probes": 32},
    {"kind": "hnsw"},
)
OF_WEIGHTS: Sequence[Mapping[str, Any]] = (
    {"kind": "seismic"},
    {"kind": "seismic", "question_terms": 5},
    {"kind": "seismic", "question_terms": 30, "skip_below": 0.7},
    {"kind": "seismic", "longest_list": 6, "summary_share": 0.6, "question_terms": 30, "skip_below": 0.6},
)
N_TERMS, N_TOPICS, OF_TOPIC = 30_000, 1000, 400


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--weights", action="store_true", help="of terms, and not dense vectors")
    parser.add_argument(
        "--zalo", type=Path, help="folder of the Zalo challenge's files, or of a part of them"
    )
    parser.add_argument("--turns", type=int, default=3, help="of searches, of which the fastest counts")
    args = parser.parse_args()
    corpus, questions = made(args)
    rate, exact = fastest(lambda: list(corpus.exact(questions, args.k)), questions.shape[0], args.turns)
    size = "{} vectors × {}".format(*corpus.vectors.values.shape)
    print(f"{size}, {questions.shape[0]} questions, k = {args.k}\n")
    print("| index | build, CPU s | MB | recall@10 (5 %) | recall@100 (5 %) | questions/s |")
    print("|---|--:|--:|--:|--:|--:|")
    print(f"| exact search | | {corpus.n_bytes / 1e6:.0f} | 1 | 1 | {rate:,.0f} |", flush=True)
    for entry in OF_WEIGHTS if args.weights or args.zalo else OF_VECTORS:
        settings = SETTINGS.validate_python(entry)
        started = time.process_time()
        index = approximate.build(corpus, settings)
        built = time.process_time() - started
        rate, found = fastest(
            lambda: list(approximate.search(index, questions, corpus, args.k)),  # noqa: B023
            questions.shape[0],
            args.turns,
        )
        with TemporaryDirectory() as folder:
            file = Path(folder) / "index"
            approximate.write_index(file, index)
            n_bytes = file.stat().st_size
        name = ", ".join([settings.kind, *(f"{key} {value}" for key, value in settings.parameters.items())])
        cells = " | ".join(recall(found, exact, k) for k in (10, 100))
        print(f"| {name} | {built:.1f} | {n_bytes / 1e6:.0f} | {cells} | {rate:,.0f} |", flush=True)


def fastest(search: Callable[[], list[Ranked]], n_questions: int, turns: int) -> tuple[float, list[Ranked]]:
    """Questions per CPU second in the best of several turns, and what is found."""
    rate, found = 0.0, []
    for _ in range(turns):
        started = time.process_time()
        found = search()
        rate = max(rate, n_questions / (time.process_time() - started))
    return rate, found


def recall(found: list[Ranked], exact: list[Ranked], k: int) -> str:
    """Mean and 5th percentile."""
    values = recalls(found, exact, k)
    return f"{np.nanmean(values):.3f} ({np.nanquantile(values, 0.05):.2f})"


def made(args: argparse.Namespace) -> tuple[Searched, Any]:
    """What is searched, and the questions."""
    if args.zalo:
        documents, questions = weights_of_zalo(args.zalo)
    elif args.weights:
        documents, questions = made_weights(args.vectors, args.questions)
    else:
        vectors, asked = made_vectors(args.vectors, args.questions)
        return SearchedVectors(vectors, "cosine"), asked
    return SearchedWeights.of(documents, np.arange(documents.shape[0]), None), questions


def made_vectors(n: int, n_questions: int) -> tuple[dense.Vectors, np.ndarray]:
    """Vectors around 1,000 centres, with a spread that makes neighbours overlap, as those of texts do."""
    generator = np.random.default_rng(1)
    centres = generator.standard_normal((1000, 384), dtype=np.float32)
    values = centres[generator.integers(0, len(centres), n)]
    values += 1.5 * generator.standard_normal((n, 384), dtype=np.float32)
    asked = values[generator.choice(n, n_questions, replace=False)]
    asked = asked + generator.standard_normal(asked.shape, dtype=np.float32)
    return dense.Vectors(values, np.arange(n)), asked


def made_weights(n: int, n_questions: int) -> tuple[csr_array, csr_array]:
    """Weights of 80 terms of a topic and 60 of the whole vocabulary, some twice; of 30 of those in a question."""
    generator = np.random.default_rng(1)
    topics = drawn_terms(generator, (N_TOPICS, OF_TOPIC), N_TERMS)
    own = generator.integers(0, N_TOPICS, n)
    of_topic = topics[own[:, None], drawn_terms(generator, (n, 80), OF_TOPIC)]
    terms = np.hstack([of_topic, drawn_terms(generator, (n, 60), N_TERMS)])
    weights = generator.gamma(2, 0.5, terms.shape)
    documents = weighed(terms, weights)
    asked = generator.choice(n, n_questions, replace=False)
    chosen = np.argsort(generator.random((n_questions, terms.shape[1])) / weights[asked], axis=1)[:, :30]
    of_question = np.take_along_axis(weights[asked], chosen, 1) * generator.gamma(4, 0.25, chosen.shape)
    return documents, weighed(np.take_along_axis(terms[asked], chosen, 1), of_question)


def drawn_terms(generator: np.random.Generator, shape: tuple[int, int], n: int) -> np.ndarray:
    """Numbers below n, the j-th drawn as often as 1 / (j + 50)."""
    shares = np.cumsum(1 / (np.arange(n) + 50))
    return np.searchsorted(shares / shares[-1], generator.random(shape))


def weighed(terms: np.ndarray, weights: np.ndarray) -> csr_array:
    """A row per row of terms; weights of a term that is there twice are added up."""
    rows = np.repeat(np.arange(len(terms)), terms.shape[1])
    found = coo_array((weights.ravel(), (rows, terms.ravel())), shape=(len(terms), N_TERMS)).tocsr()
    found.sort_indices()
    return csr_array(found, dtype=np.float32)


def weights_of_zalo(folder: Path) -> tuple[csr_array, csr_array]:
    """What BM25 (Lucene's form, k1 = 1.5, b = .75) adds to a score for each syllable; 1 for those of questions."""
    from sklearn.feature_extraction.text import CountVectorizer

    from retrieval_speed import zalo

    documents, questions = zalo(folder, "words")
    counter = CountVectorizer(analyzer=list, dtype=np.float64)
    counts = csr_array(counter.fit_transform(documents))
    asked = csr_array(counter.transform(questions), dtype=np.float32)
    asked.data[:] = 1
    lengths, with_term = counts.sum(axis=1), np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log1p((len(documents) - with_term + 0.5) / (with_term + 0.5))
    of_row = np.repeat(1.5 * (0.25 + 0.75 * lengths / lengths.mean()), np.diff(counts.indptr))
    counts.data = rarity[counts.indices] * counts.data / (counts.data + of_row)
    for one in (counts, asked):
        one.sort_indices()
    return csr_array(counts, dtype=np.float32), asked


if __name__ == "__main__":
    main()
