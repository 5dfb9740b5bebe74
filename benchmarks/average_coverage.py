"""Do intervals of the difference over tasks cover the average true difference? python benchmarks/average_coverage.py

Draws differences of two encoders on tasks of several sources, and counts by `pooled_difference` how often the 95 %
intervals of the plain and of the weighted mean contain the truth, 0. Prints a table in Markdown.
"""

import argparse

import numpy as np

import needs
from sentflow.stats.pooled import pooled_difference

LEVEL = 0.95
# How many tasks each source has
DESIGNS = {
    "18 of 1": [1] * 18,
    "6 of 3": [3] * 6,
    "7, 5, 2, 1, 1, 1, 1": [7, 5, 2, 1, 1, 1, 1],
    "10, 2, 2, 2": [10, 2, 2, 2],
    "1 of 18": [18],
}
# Standard deviations of the true difference between tasks and between sources, and the usual error of a task
SPREADS = ((0.0, 0.0, 0.03), (0.02, 0.0, 0.01), (0.02, 0.02, 0.03), (0.0, 0.03, 0.03))


def shares(sizes: list[int], spreads: tuple[float, float, float], n_sets: int, seed: int) -> list[float]:
    """Shares of both intervals that hold, in %, and the mean width of the first."""
    between_tasks, between_sources, error = spreads
    generator = np.random.default_rng(seed)
    source = np.repeat(np.arange(len(sizes)), sizes)
    found = []
    for _ in range(n_sets):
        errors = error * generator.uniform(0.5, 1.5, len(source))
        noise = np.hypot(between_tasks, errors) * generator.standard_normal(len(source))
        differences = between_sources * generator.standard_normal(len(sizes))[source] + noise
        one = pooled_difference(differences, errors, source.tolist(), level=LEVEL)
        plain, weighted = one.low <= 0 <= one.high, one.weighted_low <= 0 <= one.weighted_high
        found.append([100 * plain, 100 * weighted, one.high - one.low])
    means: list[float] = np.mean(found, axis=0).tolist()
    return means


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=400, help="of differences, per line")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(
        "| tasks of each source | tasks | sources | error | plain covers | weighted covers | width of plain |"
    )
    print("| --- " * 7 + "|")
    for name, sizes in DESIGNS.items():
        for spreads in SPREADS:
            if spreads[1] and len(sizes) in (1, 18):
                continue
            plain, weighted, width = shares(sizes, spreads, args.sets, args.seed)
            about = " | ".join(f"{one:g}" for one in spreads)
            print(f"| {name} | {about} | {plain:.1f} | {weighted:.1f} | {width:.3f} |")


if __name__ == "__main__":
    needs.run(main)
