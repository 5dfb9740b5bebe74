"""Tests of two equal encoders by few repetitions. python benchmarks/few_repetitions.py --sets 600

Simulated data sets (`simulated_probes`): how often the t-test of out-of-fold predictions and the corrected resampled
t-test reject, and their standard errors over the true one. Prints a table in Markdown.
"""

import argparse
from collections import defaultdict

import numpy as np

from sentflow.stats.items import OutOfFold
from sentflow.stats.out_of_fold import OutOfFoldT, by_repetition, row_scores
from sentflow.stats.paired import CorrectedT, PairedT
from simulated_probes import Sample, World, samples

FOLDS = 5
REPETITIONS = (1, 2, 5, 10)
WORLDS = ((200, 1.0), (400, 1.0), (800, 1.0), (1600, 1.0), (400, 0.0), (400, 2.0), (400, 3.0))


def main() -> None:
    """Simulate every condition and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=600, help="data sets per condition")
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    args = parser.parse_args()
    names = [f"{kind}, {n}" for kind in ("out-of-fold", "corrected t") for n in REPETITIONS]
    print("| texts | distance of classes | " + " | ".join(names) + " |")
    print("| --- " * (2 + len(names)) + "|")
    for rows, separation in WORLDS:
        found = defaultdict(list)
        for sample in samples(World(rows, (separation,) * 2), n_sets=args.sets, seed=args.seed):
            for n in REPETITIONS:
                for kind, test in zip(("out-of-fold", "corrected t"), tests(sample, n), strict=True):
                    found[f"{kind}, {n}"].append((test.p() <= 0.05, test.mean, test.error))
        cells = [cell(found[name]) for name in names]
        print(f"| {rows:,} | {separation:g} | " + " | ".join(cells) + " |", flush=True)


def tests(sample: Sample, n: int) -> tuple[PairedT, PairedT]:
    """Both tests by the first n repetitions."""
    differences = (sample.scores[:, 0] - sample.scores[:, 1])[: FOLDS * n]
    scores = [row_scores("mcc", 2, *by_repetition(first(one, n))) for one in sample.predictions]
    return OutOfFoldT.of(*scores, differences), CorrectedT(differences, FOLDS)


def first(predictions: OutOfFold, n: int) -> OutOfFold:
    """Those of the first n repetitions."""
    own = predictions.repetition <= n
    return OutOfFold(**{name: values[own] for name, values in vars(predictions).items()})


def cell(found: list[tuple[bool, float, float]]) -> str:
    """Rejections in %, and the mean error over the true one."""
    rejected, means, errors = map(np.array, zip(*found, strict=True))
    return f"{100 * rejected.mean():.1f} ({np.sqrt(np.mean(errors**2)) / means.std(ddof=1):.2f})"


if __name__ == "__main__":
    main()
