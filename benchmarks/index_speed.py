"""Approximate indexes beside the exact search, on made vectors: python benchmarks/index_speed.py

Vectors of 1,000 clusters in 384 dimensions, questions near some of them; one thread. For each index: build time, size,
recall of the 10 and of the 100 best documents (mean and 5th percentile over questions), questions per CPU second.
Prints a table in Markdown.
"""

import argparse
import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is imported

import time

import faiss
import numpy as np

from sentflow.retrieval import approximate, dense
from sentflow.retrieval.approximate import recalls
from sentflow.retrieval.indexes.contract import IndexSettings
from sentflow.retrieval.indexes.vectors import SearchedVectors
from sentflow.retrieval.ranking import Ranked

INDEXES = (
    {"kind": "flat"},
    {"kind": "ivf-flat", "lists": 512, "probes": 8},
    {"kind": "ivf-flat", "lists": 512, "probes": 32},
    {"kind": "ivf-pq", "lists": 512, "probes": 32},
    {"kind": "hnsw"},
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--k", type=int, default=100)
    args = parser.parse_args()
    vectors, questions = made(args.vectors, args.questions)
    corpus = SearchedVectors(vectors, "cosine")
    started = time.process_time()
    exact = list(corpus.exact(questions, args.k))
    rate = len(questions) / (time.process_time() - started)
    print(f"{args.vectors} vectors × {vectors.values.shape[1]}, {len(questions)} questions, k = {args.k}\n")
    print("| index | build, CPU s | MB | recall@10 (5 %) | recall@100 (5 %) | questions/s |")
    print("|---|--:|--:|--:|--:|--:|")
    print(f"| exact search | | {vectors.values.nbytes / 1e6:.0f} | 1 | 1 | {rate:,.0f} |", flush=True)
    for entry in INDEXES:
        settings = IndexSettings.of(entry)
        started = time.process_time()
        index = approximate.build(corpus, settings)
        built = time.process_time() - started
        started = time.process_time()
        found = list(approximate.search(index, questions, corpus, args.k))
        rate = len(questions) / (time.process_time() - started)
        name = ", ".join([settings.kind, *(f"{key} {value}" for key, value in settings.parameters.items())])
        size = len(faiss.serialize_index(index.index)) / 1e6
        cells = " | ".join(recall(found, exact, k) for k in (10, 100))
        print(f"| {name} | {built:.0f} | {size:.0f} | {cells} | {rate:,.0f} |", flush=True)


def recall(found: list[Ranked], exact: list[Ranked], k: int) -> str:
    """Mean and 5th percentile."""
    values = recalls(found, exact, k)
    return f"{np.nanmean(values):.3f} ({np.nanquantile(values, 0.05):.2f})"


def made(n: int, n_questions: int) -> tuple[dense.Vectors, np.ndarray]:
    """Vectors around 1,000 centres, with a spread that makes neighbours overlap, as those of texts do."""
    generator = np.random.default_rng(1)
    centres = generator.standard_normal((1000, 384), dtype=np.float32)
    values = centres[generator.integers(0, len(centres), n)]
    values += 1.5 * generator.standard_normal((n, 384), dtype=np.float32)
    asked = values[generator.choice(n, n_questions, replace=False)]
    asked = asked + generator.standard_normal(asked.shape, dtype=np.float32)
    return dense.Vectors(values, np.arange(n)), asked


if __name__ == "__main__":
    main()
