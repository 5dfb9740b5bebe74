"""Does the interval of ranks cover what it is of? python benchmarks/rank_coverage.py --sets 100

Simulated experiments: expected scores of encoders on tasks, drawn anew for each experiment, and fold scores around them
whose error is the one that the corrected t-test supposes. Counts how often the interval of a repetition holds the
average rank of a second experiment with other tasks, how often it holds the true average rank on the tasks of the
first, and how often the interval and the prediction of the model over tasks hold. Prints a table.
"""

import argparse

import numpy as np

import needs
from sentflow.stats.across import rank_intervals, ranks
from sentflow.stats.paired import CorrectedT
from sentflow.stats.pooled import pooled_difference

REPETITIONS, FOLDS = 10, 5
LEVEL = 0.95
NOISE = 0.05  # standard deviation of a fold score
BETWEEN_TASKS = 0.02  # of an encoder's expected score, around its average
N_TASKS = 18
GAPS = (0.0, 0.02, 0.1)  # between the averages of encoders that follow each other
N_ENCODERS = 5


def expected_scores(averages: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(tasks, encoders) of an experiment."""
    return 0.5 + averages + rng.normal(0, BETWEEN_TASKS, (N_TASKS, len(averages)))


def fold_scores(expected: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """Per task (J, K): folds share an error, that of the sample of texts, of the variance that the test supposes."""
    shared = rng.normal(0, NOISE / np.sqrt(FOLDS - 1), expected.shape)
    return [row + rng.normal(0, NOISE, (REPETITIONS * FOLDS, len(row))) for row in expected + shared]


def rates(gap: float, n_sets: int, rng: np.random.Generator) -> list[float]:
    """Shares of intervals that hold, in %, and mean widths."""
    averages = -gap * np.arange(N_ENCODERS)
    told = []
    for _ in range(n_sets):
        expected = expected_scores(averages, rng)
        scores = fold_scores(expected, rng)
        found = rank_intervals(scores, folds=FOLDS, level=LEVEL, n_draws=1000, seed=int(rng.integers(2**32)))
        repeat_low, repeat_high = np.array([(one.repeat_low, one.repeat_high) for one in found]).T
        true = ranks(expected).mean(axis=0)
        again = fold_scores(expected_scores(averages, rng), rng)
        repeated = ranks(np.stack([one.mean(axis=0) for one in again])).mean(axis=0)
        first, last = 0, N_ENCODERS - 1
        tests = [CorrectedT(one[:, first] - one[:, last], FOLDS) for one in scores]
        pooled = pooled_difference(
            np.array([test.mean for test in tests]), np.array([test.error for test in tests]),
            range(N_TASKS), level=LEVEL,
        )  # fmt: skip
        average = averages[first] - averages[last]
        new = average + rng.normal(0, BETWEEN_TASKS * np.sqrt(2))
        told.append(
            [
                100 * ((repeat_low <= repeated) & (repeated <= repeat_high)).mean(),
                100 * ((repeat_low <= true) & (true <= repeat_high)).mean(),
                (repeat_high - repeat_low).mean(),
                100 * (pooled.low <= average <= pooled.high),
                100 * (pooled.new_low <= new <= pooled.new_high),
            ]
        )
    shares: list[float] = np.mean(told, axis=0).tolist()
    return shares


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    print(
        "| gap | repetition: its rank | repetition: true rank | width: repetition | average difference | new task |"
    )
    print("| --- " * 6 + "|")
    for gap in GAPS:
        a, b, wide, average, new = rates(gap, args.sets, rng)
        print(f"| {gap:g} | {a:.1f} | {b:.1f} | {wide:.2f} | {average:.1f} | {new:.1f} |")


if __name__ == "__main__":
    needs.run(main)
