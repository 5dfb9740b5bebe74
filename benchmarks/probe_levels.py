"""Do tests of probes hold below 5 %, and for three classes? python benchmarks/probe_levels.py --mirror FOLDER

Rows of a real task are drawn without replacement and four encoders cross-validated (10 × 5 folds, `real_probes`). Every
two of them are tested as the pipeline tests them, but against their true difference: the mean, over all samples, of
that on the rows left out. So every rejection is wrong. Says how often a single test rejects, in the mean of the pairs
and for the worst, and how often Holm's procedure rejects any of them; for the task as the whole population and for a
much larger one (see `probe_documents.coverage`). Prints a table in Markdown.
"""

import argparse
import itertools
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr
from threadpoolctl import threadpool_limits

import needs
from real_probes import DATASETS, THREE_CLASSES, Predicted, RealTask, cross_validated, drawn, text_task
from sentflow.stats.multiplicity import holm
from sentflow.stats.out_of_fold import OutOfFoldT, row_scores
from sentflow.stats.paired import CorrectedT, PairedT
from sentflow.stats.seeds import derive_seed

ENCODERS = 4
PAIRS = list(itertools.combinations(range(ENCODERS), 2))
ROWS = (250, 500, 1000, 2000, 4000)
# nominal, 1 %, and what Holm asks of the clearest of six pairs
SINGLE = (0.05, 0.01, 0.05 / len(PAIRS))
FAMILY = (0.05, 0.01)
TESTS = ("out-of-fold", "corrected t")


class Sample(NamedTuple):
    """What one sample gave.

    Attributes
    ----------
    outside
        (M,) mean score of the probes of its folds on the rows left out.
    tests
        Name of a test → one per pair.
    """

    outside: np.ndarray
    tests: dict[str, list[PairedT]]


def main() -> None:
    """Draw, test, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of real data")
    parser.add_argument(
        "--tasks", nargs="+", choices=[THREE_CLASSES, *DATASETS], default=[THREE_CLASSES, *DATASETS]
    )
    parser.add_argument("--rows", nargs="+", type=int, default=list(ROWS), help="sizes of samples")
    parser.add_argument("--samples", type=int, default=1000, help="of each task and size")
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    args = parser.parse_args()
    columns = ["task", "rows", "test", "samples", "error / true error", "power at 2 true errors"]
    columns += [f"{100 * alpha:.2g} %: {which}" for alpha in SINGLE for which in ("mean", "worst pair")]
    columns += [f"any of {len(PAIRS)}, Holm {100 * alpha:.2g} %" for alpha in FAMILY]
    print("| " + " | ".join(columns) + " |")
    print("| --- " * len(columns) + "|", flush=True)
    started = time.process_time()
    for name in args.tasks:
        with tempfile.TemporaryDirectory() as folder:
            task = text_task(args.mirror, name, folder=Path(folder), n_encoders=ENCODERS)
        for size in args.rows:
            found = list(samples(task, size, args.samples, derive_seed(args.seed, name, "levels", size)))
            for test in TESTS:
                line = " | ".join(cells(found, test, size / len(task.labels)))
                print(f"| {name} | {size:,} | {test} | {len(found)} | {line} |", flush=True)
    print(f"\n{time.process_time() - started:.0f} CPU seconds")


def samples(task: RealTask, size: int, n_samples: int, seed: int, **design: int) -> Iterator[Sample]:
    """Those samples that have a row of each class in every fold; `design` as for `cross_validated`."""
    for number in range(n_samples):
        rows = drawn(task, "rows", size, np.random.default_rng([seed, number]))
        found = cross_validated(task, rows, grouped=False, seed=number, **design)
        if found is not None:
            yield Sample(task.outside(rows, found.some_probes), tests(found))


def tests(found: Predicted) -> dict[str, list[PairedT]]:
    """Both tests of every pair, as `FoldScores` of the pipeline makes them."""
    scored = [
        row_scores(found.metric, found.n_classes, found.labels, own, found.fold_of >= 0)
        for own in found.predicted
    ]
    differences = [found.scores[:, a] - found.scores[:, b] for a, b in PAIRS]
    by_rows: list[PairedT] = [
        OutOfFoldT(own, scored[a], scored[b]) for (a, b), own in zip(PAIRS, differences, strict=True)
    ]
    return dict(zip(TESTS, (by_rows, [CorrectedT(own, found.folds) for own in differences]), strict=True))


class Rejections(NamedTuple):
    """What a test says of true differences.

    Attributes
    ----------
    p
        (samples, pairs) of the hypothesis that the difference is the true one.
    ratios
        (pairs,) mean standard error over the true one.
    power
        Share of 5 % tests that find a difference of two true standard errors.
    """

    p: np.ndarray
    ratios: np.ndarray
    power: float


def wrong_rejections(found: list[Sample], test: str, *, drawn_share: float) -> Rejections:
    """The p-values of a test against the truth.

    Parameters
    ----------
    drawn_share
        See `probe_documents.coverage`.
    """
    truth = np.mean([one.outside for one in found], axis=0)
    gaps = np.array([truth[a] - truth[b] for a, b in PAIRS])
    own = [one.tests[test] for one in found]
    mean, error, freedom = (
        np.array([[getattr(one, name) for one in pairs] for pairs in own])
        for name in ("mean", "error", "freedom")
    )
    away = (mean - gaps) / np.sqrt(1 - drawn_share)
    true_error = np.sqrt(np.square(away).mean(axis=0))
    found_at = [2 * stdtr(freedom, -np.abs(away + side * true_error) / error) for side in (-2, 2)]
    p = 2 * stdtr(freedom, -np.abs(away) / error)
    return Rejections(p, error.mean(axis=0) / true_error, float(np.mean(np.array(found_at) <= 0.05)))


def cells(found: list[Sample], test: str, drawn_share: float) -> Iterator[str]:
    """What a line says of a test; two numbers of each share, as it is and for a much larger population."""
    own, large = (wrong_rejections(found, test, drawn_share=share) for share in (0.0, drawn_share))
    yield f"{large.ratios.min():.2f} to {large.ratios.max():.2f}"
    yield f"{100 * large.power:.0f}"
    for alpha in SINGLE:
        shares = [(one.p <= alpha).mean(axis=0) for one in (own, large)]
        for summary in (np.mean, np.max):
            yield ", ".join(f"{100 * summary(share):.1f}" for share in shares)
    for alpha in FAMILY:
        yield ", ".join(f"{100 * _any_by_holm(one.p, alpha):.1f}" for one in (own, large))


def _any_by_holm(p: np.ndarray, alpha: float) -> float:
    return float(np.mean([min(holm(own)) <= alpha for own in p]))


if __name__ == "__main__":
    with threadpool_limits(1):  # products are small, and threads would wait for each other
        needs.run(main)
