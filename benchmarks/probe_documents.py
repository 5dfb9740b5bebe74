"""Do intervals of probes hold for new documents, on real data? python benchmarks/probe_documents.py --mirror FOLDER

Documents, or rows, of a real task are drawn without replacement; the truth is the mean score on what was left out, over
all samples, of probes that were trained in the folds of a sample. Says how often each kind of interval contains it, for
the score of an encoder and for the difference of two; a test at 5 % errs where the 95 % interval does not. Encoders
are those of `text_task` or, with --results (a folder with data/ and embeddings/ of experiments/open-data.yaml), the
halves of a vector. Prints a table in Markdown.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import stdtrit
from threadpoolctl import threadpool_limits

import needs
from real_probes import (
    DATASETS,
    CrossValidated,
    RealTask,
    cross_validated,
    drawn,
    embedded_task,
    text_task,
)
from sentflow.stats.effective import effective_clusters
from sentflow.stats.items import metric_values
from sentflow.stats.paired import CorrectedT
from sentflow.stats.seeds import derive_seed

DOCUMENTS = {"T1A-open": (6, 8, 10, 20, 39), "T2A-open": (25, 50, 100, 150), "T3-open": (50, 125, 500)}
ROWS = (250, 500, 1000, 2000, 4000)
LEVELS = np.array([0.95, 0.99])
KINDS = (
    "folds of rows: t",
    "folds of documents: t",
    "the same, effective documents",
    "jackknife of documents",
)
QUANTITIES = {"a score": np.array([1.0, 0.0]), "a difference": np.array([1.0, -1.0])}
# Coverage in the table: of the population as it is, and of one that is so much larger that no sample exhausts it
COLUMNS = ("95 %", "99 %", "95 % of a large population")


@dataclass(frozen=True)
class Interval:
    """Of one kind, by one sample.

    Attributes
    ----------
    mean
        Its centre.
    halves
        (levels,) half its width.
    """

    mean: float
    halves: np.ndarray


@dataclass(frozen=True)
class Sample:
    """What one sample gave.

    Attributes
    ----------
    n_rows, effective
        Its rows, and its effective documents.
    outside
        (M,) mean score of the probes of its folds on what was left out.
    intervals
        Quantity → kind → interval.
    """

    n_rows: int
    effective: float
    outside: np.ndarray
    intervals: dict[str, dict[str, Interval]]


def main() -> None:
    """Draw, cross-validate, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--mirror", type=Path, help="folder of real data")
    source.add_argument("--results", type=Path, help="folder with data/ and embeddings/")
    parser.add_argument("--model", default="minilm-l6", help="whose vectors are halved, with --results")
    parser.add_argument("--tasks", nargs="+", choices=DATASETS, default=list(DATASETS))
    parser.add_argument("--units", nargs="+", choices=("documents", "rows"), default=["documents", "rows"])
    parser.add_argument("--samples", type=int, default=1000, help="of each task and size")
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    args = parser.parse_args()
    header = [f"{kind}, {column}" for kind in KINDS for column in COLUMNS]
    first = ("task", "drawn", "assigned to folds", "rows", "effective documents", "of", "truth")
    print("| " + " | ".join((*first, *header)) + " |")
    print("| --- " * (len(first) + len(header)) + "|", flush=True)
    started = time.process_time()
    for name in args.tasks:
        if args.results:
            task = embedded_task(args.results, name, args.model)
        else:
            with tempfile.TemporaryDirectory() as folder:
                task = text_task(args.mirror, name, folder=Path(folder))
        for unit in args.units:
            for size in DOCUMENTS[name] if unit == "documents" else ROWS:
                found = list(
                    samples(task, unit, size, args.samples, derive_seed(args.seed, name, unit, size))
                )
                share = size / (task.documents.max() + 1 if unit == "documents" else len(task.labels))
                for line in lines(found, share):
                    dealt = f"{len(found)} of {args.samples}"
                    print(f"| {name} | {size} {unit} | {dealt} | {line} |", flush=True)
    print(f"\n{time.process_time() - started:.0f} CPU seconds")


def samples(task: RealTask, unit: str, size: int, n_samples: int, seed: int) -> Iterator[Sample]:
    """Those samples that could be assigned to folds; where documents are drawn, documents too."""
    for number in range(n_samples):
        rows = drawn(task, unit, size, np.random.default_rng([seed, number]))
        kept = cross_validated(task, rows, grouped=True, seed=number) if unit == "documents" else None
        if unit == "documents" and kept is None:
            continue
        dealt = cross_validated(task, rows, grouped=False, seed=number)
        if dealt is None:
            continue
        effective = effective_clusters(np.bincount(dealt.documents))
        found = {what: intervals(dealt, kept, weights) for what, weights in QUANTITIES.items()}
        outside = task.outside(rows, (kept or dealt).some_probes)
        yield Sample(len(rows), effective, outside, found)


def intervals(dealt: CrossValidated, kept: CrossValidated | None, weights: np.ndarray) -> dict[str, Interval]:
    """By kind, of the weighted sum of both encoders' scores."""
    found = {KINDS[0]: _corrected(dealt.scores @ weights, dealt.folds)}
    if kept is None:
        return found
    scores, freedom = kept.scores @ weights, effective_clusters(np.bincount(kept.documents)) - 1
    found[KINDS[1]] = _corrected(scores, kept.folds)
    errors = (
        scores.std(ddof=1) * np.sqrt(1 / len(scores) + 1 / (kept.folds - 1)),
        jackknife_error(kept.document_counts, weights),
    )
    for kind, error in zip(KINDS[2:], errors, strict=True):
        found[kind] = Interval(scores.mean(), stdtrit(freedom, (1 + LEVELS) / 2) * error)
    return found


def _corrected(scores: np.ndarray, folds: int) -> Interval:
    limits = [CorrectedT(scores, folds).interval(level) for level in LEVELS]
    return Interval(scores.mean(), np.array([(high - low) / 2 for low, high in limits]))


def jackknife_error(counts: np.ndarray, weights: np.ndarray) -> float:
    """Of the mean over repetitions of the score of all test parts together, by leaving out each document.

    Parameters
    ----------
    counts
        (R, documents, M, 2, 2), see `CrossValidated.document_counts`.
    """
    totals = counts.sum(axis=1, keepdims=True)
    left = (metric_values("mcc", totals - counts) @ weights).mean(axis=0)
    n = len(left)
    return float(np.sqrt((n - 1) / n * np.square(left - left.mean()).sum()))


def coverage(found: list[Sample], what: str, kind: str, *, drawn_share: float = 0.0) -> np.ndarray:
    """(levels,) shares of samples whose interval contains the truth.

    Parameters
    ----------
    drawn_share
        Of the population, in each sample: means are then moved away from the truth by 1/√(1 − share), as those of
        samples from a much larger population would be. Cochran 1977, Sampling Techniques, section 2.6.
    """
    truth = np.mean([one.outside for one in found], axis=0) @ QUANTITIES[what]
    own = [one.intervals[what][kind] for one in found]
    away = np.abs(np.array([one.mean for one in own]) - truth) / np.sqrt(1 - drawn_share)
    return np.asarray((away[:, None] <= [one.halves for one in own]).mean(axis=0))


def lines(found: list[Sample], drawn_share: float) -> Iterator[str]:
    """The rest of a line for a score, and of one for a difference."""
    for what, weights in QUANTITIES.items():
        if not found:
            yield f"– | – | {what} | –" + " | –" * len(KINDS) * len(COLUMNS)
            continue
        truth = np.mean([one.outside for one in found], axis=0) @ weights
        shares = []
        for kind in KINDS:
            if kind in found[0].intervals[what]:
                plain = coverage(found, what, kind)
                large = coverage(found, what, kind, drawn_share=drawn_share)
                shares += [f"{100 * share:.1f}" for share in (*plain, large[0])]
            else:
                shares += ["–"] * len(COLUMNS)
        n_rows = np.mean([one.n_rows for one in found])
        effective = np.mean([one.effective for one in found])
        yield f"{n_rows:.0f} | {effective:.1f} | {what} | {truth:.3f} | " + " | ".join(shares)


if __name__ == "__main__":
    with threadpool_limits(1):  # products are small, and threads would wait for each other
        needs.run(main)
