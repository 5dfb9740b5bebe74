"""Do intervals of probes hold for new documents, on real data? python benchmarks/probe_documents.py --results FOLDER

FOLDER holds the results of experiments/open-data.yaml (at least the vectors of one encoder). Documents, or rows, of a
real task are drawn without replacement; the truth is the mean score on what was left out, over all samples, of probes
that were trained in the folds of a sample. Says how often each kind of interval contains it, for the score of an
encoder and for the difference of two, the halves of a vector. Prints a table in Markdown.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from real_probes import CrossValidated, RealTask, cross_validated, matthews, real_task
from sentflow.stats.effective import effective_clusters
from sentflow.stats.generalisation import nadeau_bengio_interval
from sentflow.stats.seeds import derive_seed

FOLDS = 5
DATASETS = {"T1A-open": "hatebr-2", "T2A-open": "factnews", "T3-open": "fakebr"}
DOCUMENTS = {"T1A-open": (10, 20, 39), "T2A-open": (25, 50, 100, 150), "T3-open": (50, 125, 500)}
ROWS = (250, 500, 1000, 2000)
LEVELS = (0.95, 0.99)
KINDS = ("rows dealt: t", "documents dealt: t", "the same, effective documents", "jackknife of documents")


def main() -> None:
    """Draw, cross-validate, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder with data/ and embeddings/")
    parser.add_argument("--model", default="minilm-l6", help="whose vectors are halved")
    parser.add_argument("--tasks", nargs="+", choices=DATASETS, default=list(DATASETS))
    parser.add_argument("--units", nargs="+", choices=("documents", "rows"), default=["documents", "rows"])
    parser.add_argument("--samples", type=int, default=1000, help="of each task and size")
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    args = parser.parse_args()
    header = [f"{kind}, {100 * level:g} %" for kind in KINDS for level in LEVELS]
    print("| task | drawn | of | truth | rows | " + " | ".join(header) + " |")
    print("| --- " * (5 + len(header)) + "|", flush=True)
    started = time.process_time()
    for name in args.tasks:
        task = real_task(args.results, name, DATASETS[name], args.model)
        for unit in args.units:
            for size in DOCUMENTS[name] if unit == "documents" else ROWS:
                seed = derive_seed(args.seed, name, unit, size)
                for line in coverage(task, unit, size, n_samples=args.samples, seed=seed):
                    print(f"| {name} | {size} {unit} | {line}", flush=True)
    print(f"\n{args.samples} samples per line, {time.process_time() - started:.0f} CPU seconds")


def coverage(task: RealTask, unit: str, size: int, *, n_samples: int, seed: int) -> Iterator[str]:
    """The rest of a line for a score, and of one for a difference."""
    found: dict[str, list[tuple[np.ndarray, dict[str, np.ndarray]]]] = {"a score": [], "a difference": []}
    n_rows = []
    for number in range(n_samples):
        rows = drawn(task, unit, size, np.random.default_rng([seed, number]))
        dealt = cross_validated(task, rows, grouped=False, seed=number)
        kept = cross_validated(task, rows, grouped=True, seed=number) if unit == "documents" else None
        if dealt is None or (unit == "documents" and kept is None):
            continue
        n_rows.append(len(rows))
        sizes = np.bincount(np.unique(task.documents[rows], return_inverse=True)[1])
        for what, weights in (("a score", np.array([1.0, 0.0])), ("a difference", np.array([1.0, -1.0]))):
            outside = (kept or dealt).outside @ weights
            found[what].append((outside.mean(), intervals(dealt, kept, weights, sizes)))
    for what, samples in found.items():
        truth = float(np.mean([outside for outside, _ in samples]))
        shares = []
        for kind in KINDS:
            limits = np.array([own[kind] for _, own in samples if kind in own])  # (samples, levels, 2)
            inside = (
                [(own[:, 0] <= truth) & (truth <= own[:, 1]) for own in limits.swapaxes(0, 1)]
                if len(limits)
                else []
            )
            shares += [f"{100 * own.mean():.1f}" for own in inside] or ["–"] * len(LEVELS)
        counted = "" if len(samples) == n_samples else f" ({len(samples)} samples)"
        yield f"{what}{counted} | {truth:.3f} | {np.mean(n_rows):.0f} | {' | '.join(shares)} |"


def drawn(task: RealTask, unit: str, size: int, generator: np.random.Generator) -> np.ndarray:
    """(m,) row numbers of a sample."""
    if unit == "rows":
        return np.sort(generator.choice(len(task.labels), size, replace=False))
    chosen = generator.choice(task.documents.max() + 1, size, replace=False)
    return np.flatnonzero(np.isin(task.documents, chosen))


def intervals(
    dealt: CrossValidated, kept: CrossValidated | None, weights: np.ndarray, sizes: np.ndarray
) -> dict[str, np.ndarray]:
    """Kind → (levels, 2) limits of the weighted sum of both encoders' scores."""
    found = {KINDS[0]: _corrected(dealt.scores @ weights)}
    if kept is None:
        return found
    scores, freedom = kept.scores @ weights, effective_clusters(sizes) - 1
    found[KINDS[1]] = _corrected(scores)
    error = scores.std(ddof=1) * np.sqrt(1 / len(scores) + 1 / (FOLDS - 1))
    found[KINDS[2]] = _around(scores.mean(), error, freedom)
    found[KINDS[3]] = _around(scores.mean(), jackknife_error(kept.counts, weights), freedom)
    return found


def _corrected(scores: np.ndarray) -> np.ndarray:
    limits = [nadeau_bengio_interval(scores, folds=FOLDS, level=level) for level in LEVELS]
    return np.array([(one.low, one.high) for one in limits])


def _around(mean: float, error: float, freedom: float) -> np.ndarray:
    halves = np.array([stdtrit(freedom, (1 + level) / 2) for level in LEVELS]) * error
    return np.column_stack([mean - halves, mean + halves])


def jackknife_error(counts: np.ndarray, weights: np.ndarray) -> float:
    """Of the mean over repetitions of the score of all test parts together, by leaving out each document."""
    totals = counts.sum(axis=1, keepdims=True)
    left = (matthews(totals - counts) @ weights).mean(axis=0)
    n = len(left)
    return float(np.sqrt((n - 1) / n * np.square(left - left.mean()).sum()))


if __name__ == "__main__":
    main()
