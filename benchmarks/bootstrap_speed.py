"""How much faster the published intervals are than one call of SciPy each: python benchmarks/bootstrap_speed.py

One task: five quantities, three of them per epoch over the folds that got that far. The published evaluator calls
``scipy.stats.bootstrap`` once per epoch and quantity with a function of one resample; with a function of many it is
faster. Both draw the same resamples as ours, so limits are compared too.
"""

import argparse
import time

import numpy as np
from scipy.stats import bootstrap

import needs
from sentflow.stats.repeatability import published_intervals

LEVEL = 0.99
N_RESAMPLES = 10_000
N_FOLDS = 50


def samples_of_task(n_epochs: int, seed: int) -> list[list[np.ndarray]]:
    """Per quantity the values of each epoch; folds stop early, as in training."""
    rng = np.random.default_rng(seed)
    last = np.clip(rng.geometric(2 / n_epochs, N_FOLDS) + n_epochs // 4, 1, n_epochs)
    last[0] = n_epochs
    alive = [int((last >= epoch).sum()) for epoch in range(1, n_epochs + 1)]
    per_epoch = [[rng.normal(0.5, 0.05, n) for n in alive] for _ in range(3)]
    return [*per_epoch, [rng.normal(0.5, 0.05, N_FOLDS)], [rng.normal(0.5, 0.05, N_FOLDS)]]


def scipy_interval(sample: np.ndarray, seed: int, *, vectorised: bool) -> tuple[float, float]:
    """The published interval of one sample, by SciPy."""
    if len(sample) == 1:
        return float(sample[0]), float(sample[0])
    mean = sample.mean()

    def of_many(values: np.ndarray, axis: int = -1) -> np.ndarray:
        return mean - values.mean(axis=axis)

    def of_one(values: np.ndarray) -> float:
        return mean - np.mean(values)

    found = bootstrap(
        (sample,),
        of_many if vectorised else of_one,
        n_resamples=N_RESAMPLES,
        confidence_level=LEVEL,
        method="BCa",
        vectorized=vectorised,
        random_state=np.random.RandomState(seed),
    ).confidence_interval
    return mean + found.low, mean + found.high


def main() -> None:
    """Print CPU seconds per task, ratios and the largest difference of a limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=37, help="longest training of the task")
    parser.add_argument("--repeats", type=int, default=5, help="of ours; the fastest counts")
    args = parser.parse_args()
    quantities = samples_of_task(args.epochs, seed=0)
    n_intervals = sum(map(len, quantities))
    seconds = []
    for _ in range(args.repeats):
        started = time.process_time()
        ours = [
            published_intervals(samples, seed=seed, n_resamples=N_RESAMPLES, level=LEVEL)
            for seed, samples in enumerate(quantities)
        ]
        seconds.append(time.process_time() - started)
    limits = np.array([one for intervals in ours for one in intervals])
    print(f"{n_intervals} intervals of one task, {N_RESAMPLES} resamples each\n")
    print("| | CPU seconds per task | times ours | largest difference |\n|---|---|---|---|")
    print(f"| ours | {min(seconds):.3f} | 1 | |")
    for vectorised, name in ((True, "SciPy, vectorised statistic"), (False, "SciPy, as published")):
        started = time.process_time()
        theirs = np.array(
            [
                scipy_interval(sample, seed, vectorised=vectorised)
                for seed, samples in enumerate(quantities)
                for sample in samples
            ]
        )
        taken = time.process_time() - started
        difference = float(np.abs(theirs - limits).max())
        print(f"| {name} | {taken:.3f} | {taken / min(seconds):.1f} | {difference:.1e} |")


if __name__ == "__main__":
    needs.run(main)
