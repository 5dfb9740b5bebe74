"""Do intervals for new documents hold on real data? python benchmarks/document_coverage.py --mirror FOLDER

Documents of a real question set are drawn with replacement, each with all its questions; the whole set is the
population, and its mean the truth. Says how often each kind of interval contains it, for the mean of BM25 and for its
differences from BM25 with another analyser and from a random order. What every question was searched in is the whole
corpus throughout. Prints tables in Markdown.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import needs
from real_scores import OTHERS, RealScores, real_scores
from sentflow.stats.means import ClusteredScores
from sentflow.stats.paired import ClusteredT, PairedT
from sentflow.stats.resampling import percentile_limits
from sentflow.stats.seeds import derive_seed

LEVEL = 0.95
SIZES = (50, 100, 200)
KINDS = ("questions: t", "questions: bootstrap", "documents: t", "documents: bootstrap")


def main() -> None:
    """Search, draw, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of real data")
    parser.add_argument("--sets", nargs="+", choices=OTHERS, default=["faquad", "korquad", "scifact-train"])
    parser.add_argument("--samples", type=int, default=1000, help="of documents, per number of them")
    parser.add_argument("--resamples", type=int, default=999, help="of each bootstrap")
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    args = parser.parse_args()
    print("| question set | documents | what | truth | " + " | ".join(KINDS) + " |")
    print("| --- " * (4 + len(KINDS)) + "|", flush=True)
    started = time.process_time()
    for name in args.sets:
        scores = real_scores(name, args.mirror)
        for n_documents in SIZES:
            for what, values in quantities(scores).items():
                found = coverage(
                    values,
                    scores.clusters,
                    n_documents,
                    n_samples=args.samples,
                    n_resamples=args.resamples,
                    seed=derive_seed(args.seed, name, n_documents),
                )
                shares = " | ".join(f"{100 * share:.1f}" for share in found)
                print(f"| {name} | {n_documents} | {what} | {values.mean():.3f} | {shares} |", flush=True)
    print(f"\n{args.samples} samples per line, {time.process_time() - started:.0f} CPU seconds")


def quantities(scores: RealScores) -> dict[str, np.ndarray]:
    """What intervals are of → (n,) values of questions."""
    plain, other, _, random = scores.values
    return {"BM25": plain, "BM25 − other analyser": plain - other, "BM25 − random order": plain - random}


def coverage(
    values: np.ndarray,
    clusters: np.ndarray,
    n_documents: int,
    *,
    n_samples: int,
    n_resamples: int,
    seed: int,
) -> np.ndarray:
    """(4,) shares of samples whose interval contains the mean of all values, in the order of `KINDS`."""
    truth = values.mean()
    found = [
        [low <= truth <= high for low, high in intervals(own, unit, n_resamples, number)]
        for number, (own, unit) in enumerate(samples(values, clusters, n_documents, n_samples, seed))
    ]
    return np.asarray(np.mean(found, axis=0))


def samples(
    values: np.ndarray, clusters: np.ndarray, n_documents: int, n_samples: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Values and clusters of the questions of drawn documents; a document that is drawn twice is two of them."""
    order = np.argsort(clusters, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(clusters))[:-1])
    generator = np.random.default_rng(seed)
    for _ in range(n_samples):
        drawn = [members[one] for one in generator.integers(0, len(members), n_documents)]
        yield values[np.concatenate(drawn)], np.repeat(np.arange(n_documents), [len(one) for one in drawn])


def intervals(
    values: np.ndarray, unit: np.ndarray, n_resamples: int, seed: int
) -> Sequence[tuple[float, float]]:
    """Limits in the order of `KINDS`."""
    found = []
    for names, test in ((None, PairedT(values)), ([str(one) for one in unit], ClusteredT(values, unit))):
        drawn = ClusteredScores.of(values[None], names).replicates(n_resamples=n_resamples, seed=seed)
        found += [test.interval(LEVEL), percentile_limits(drawn[:, 0], LEVEL)]
    return found


if __name__ == "__main__":
    needs.run(main)
