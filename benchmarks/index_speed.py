"""Approximate indexes beside the exact search, on one thread: python benchmarks/index_speed.py

Made vectors of 1,000 clusters in 384 dimensions, questions near some of them.
For each index: build time, size, recall of the 10 and of the 100 best documents (mean and 5th percentile over
questions), questions per CPU second. Prints a table in Markdown.
"""

import argparse
import os

import needs

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is imported

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sentflow.retrieval.evaluation import recalls
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.retrievers import index as indexes
from sentflow.retrieval.retrievers.dense import Vectors, search_vectors
from sentflow.retrieval.settings import Dense

ENTRIES: Sequence[Mapping[str, Any]] = (
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
    parser.add_argument("--turns", type=int, default=3, help="of searches, of which the fastest counts")
    args = parser.parse_args()
    vectors, questions = made_vectors(args.vectors, args.questions)
    rate, exact = fastest(
        lambda: list(search_vectors(questions, vectors, args.k)), len(questions), args.turns
    )
    size = "{} vectors × {}".format(*vectors.values.shape)
    print(f"{size}, {len(questions)} questions, k = {args.k}\n")
    print("| index | build, CPU s | MB | recall@10 (5 %) | recall@100 (5 %) | questions/s |")
    print("|---|--:|--:|--:|--:|--:|")
    print(f"| exact search | | {vectors.values.nbytes / 1e6:.0f} | 1 | 1 | {rate:,.0f} |", flush=True)
    for entry in ENTRIES:
        by = Dense.model_validate({"kind": "dense", "model": "m", "index": entry})
        started = time.process_time()
        index = indexes.build(by, vectors)
        built = time.process_time() - started
        rate, found = fastest(
            lambda: list(indexes.search_index(index, questions, by, vectors, args.k)),  # noqa: B023
            len(questions),
            args.turns,
        )
        with TemporaryDirectory() as folder:
            file = Path(folder) / "index"
            indexes.write_index(file, index)
            n_bytes = file.stat().st_size
        name = ", ".join(
            [entry["kind"], *(f"{key} {value}" for key, value in entry.items() if key != "kind")]
        )
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


def made_vectors(n: int, n_questions: int) -> tuple[Vectors, np.ndarray]:
    """Vectors around 1,000 centres, with a spread that makes neighbours overlap, as those of texts do."""
    generator = np.random.default_rng(1)
    centres = generator.standard_normal((1000, 384), dtype=np.float32)
    values = centres[generator.integers(0, len(centres), n)]
    values += 1.5 * generator.standard_normal((n, 384), dtype=np.float32)
    asked = values[generator.choice(n, n_questions, replace=False)]
    asked = asked + generator.standard_normal(asked.shape, dtype=np.float32)
    return Vectors(values, np.arange(n)), asked


if __name__ == "__main__":
    needs.run(main)
