"""Do tests and intervals over questions hold what they promise? python benchmarks/retrieval_tests.py

Simulated scores of systems (`simulated_questions`): false positives of single tests and of all pairs, size of the test
of equivalence, power at the detectable difference, coverage with clusters and with seeds. Prints tables in Markdown.
The same seed gives the same rates.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy import stats

import needs
from sentflow.stats.effective import effective_clusters
from sentflow.stats.means import ClusteredScores, MeanInterval, mean_interval
from sentflow.stats.multiplicity import holm, sign_flip_p_values
from sentflow.stats.paired import ClusteredT, PairedT
from sentflow.stats.seed_variance import seed_variance
from sentflow.stats.seeds import derive_seed
from simulated_questions import CELLS, MEASURES, Population, alike, two_of_a_mean

ALPHA, LEVEL = 0.05, 0.95
SIZES = (50, 100)
EVEN = (5,) * 60
# one law has an eighth of the questions, many have one or two
UNEVEN = (38, 22, 16, 12, 10, *(8,) * 6, *(5,) * 12, *(3,) * 20, *(1,) * 34)
FEW = (30,) * 10
# one cluster of a third of the questions, or of half, and others of five
THIRD, HALF = (100, *(5,) * 40), (150, *(5,) * 30)


def main() -> None:
    """Simulate every condition and print its rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="data sets per condition")
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    parser.add_argument("--resamples", type=int, default=999, help="of each test and bootstrap")
    known = {
        one.__name__: one
        for one in (single_tests, families, equivalence_and_power, clusters, unequal_clusters, seeds)
    }
    parser.add_argument(
        "--tables", nargs="+", choices=known, default=list(known), help="which, all by default"
    )
    args = parser.parse_args()
    for name in args.tables:
        started = time.process_time()
        print(known[name](args.sets, args.seed, args.resamples))
        print(
            f"{args.sets} data sets per condition, {time.process_time() - started:.0f} CPU seconds\n",
            flush=True,
        )


def samples(population: Population, n_sets: int, seed: int, *condition: str | int) -> Iterator[np.ndarray]:
    """(m, n) scores of each data set; every condition has draws of its own."""
    generator = np.random.default_rng(derive_seed(seed, *condition))
    return (population.sample(generator) for _ in range(n_sets))


def single_tests(n_sets: int, seed: int, n_resamples: int) -> str:
    """Rejections of two systems with the same mean."""
    tests: dict[str, Callable[[np.ndarray, int], float]] = {
        "paired t": lambda d, _: PairedT(d).p(),
        "sign flips": lambda d, k: float(sign_flip_p_values(d[None], n_resamples=n_resamples, seed=k)[0]),
        "Wilcoxon": wilcoxon_p,
    }
    rows = []
    for measure in MEASURES:
        kinds = {"alike": alike(measure, 2)}
        if measure.startswith(("RR", "nDCG")):
            kinds["one is all or nothing"] = two_of_a_mean(measure)
        for kind, population in kinds.items():
            for n in SIZES:
                drawn = samples(population.of_independent(n), n_sets, seed, measure, kind, n)
                found = np.array(
                    [[test(a - b, k) for test in tests.values()] for k, (a, b) in enumerate(drawn)]
                )
                rows.append([measure, kind, str(n), *percents((found <= ALPHA).mean(axis=0))])
    return table(["measure", "two systems", "questions", *tests], rows)


def wilcoxon_p(differences: np.ndarray, _: int) -> float:
    """For contrast: the normal approximation, questions without a difference left out."""
    different = differences[differences != 0]
    return float(stats.wilcoxon(different, method="asymptotic").pvalue) if len(different) else 1.0


def families(n_sets: int, seed: int, n_resamples: int) -> str:
    """Data sets in which any two equal systems are called different."""
    rows = []
    for measure in ("RR@10", "nDCG@10"):
        for m in (4, 6):
            quantiles = alike(measure, m).quantiles
            # the better one is better by 0.1; pairs with it are no errors
            better = (raised(quantiles[0], 0.1), *quantiles[1:])
            for truth, tables, equal in (
                ("all equal", quantiles, slice(0, m)),
                ("one better", better, slice(1, m)),
            ):
                for n in SIZES:
                    population = Population(tables).of_independent(n)
                    drawn = samples(population, n_sets, seed, measure, m, truth, n)
                    found = [rejections(scores, equal, n_resamples, k) for k, scores in enumerate(drawn)]
                    rows.append([measure, str(m), truth, str(n), *percents(np.mean(found, axis=0))])
    tests = ["t, unadjusted", "t, Holm", "sign flips, Holm"]
    return table(["measure", "systems", "truth", "questions", *tests], rows)


def raised(quantiles: np.ndarray, by: float) -> np.ndarray:
    """Scores of a better system: the lowest cells become the highest until the mean is higher by so much."""
    gains = np.cumsum(1 - quantiles)
    n = int(np.searchsorted(gains, by * CELLS))
    return np.concatenate([quantiles[n:], np.ones(n)])


def rejections(scores: np.ndarray, equal: slice, n_resamples: int, seed: int) -> list[bool]:
    """Whether each way to adjust calls any two of the equal systems different."""
    m = len(scores)
    first, second = np.triu_indices(m, 1)
    differences = scores[first] - scores[second]
    single = [PairedT(one).p() for one in differences]
    flipped = sign_flip_p_values(differences, n_resamples=n_resamples, seed=seed)
    among = np.isin(first, np.arange(m)[equal]) & np.isin(second, np.arange(m)[equal])
    return [
        bool(np.nanmin(np.array(p)[among]) <= ALPHA) for p in (single, holm(single), holm(flipped.tolist()))
    ]


def equivalence_and_power(n_sets: int, seed: int, _: int) -> str:
    """A true difference at the margin, and one that should be found four times out of five."""
    rows = []
    for measure in MEASURES:
        for n in SIZES:
            population = alike(measure, 2).of_independent(n)
            differences = [a - b for a, b in samples(population, n_sets, seed, "power", measure, n)]
            spread = float(np.concatenate(differences).std())
            margin = 4 * spread / np.sqrt(n)
            detectable = (stats.t.ppf(1 - ALPHA / 2, n - 1) + stats.t.ppf(0.8, n - 1)) * spread / np.sqrt(n)
            rates = [
                np.mean([PairedT(d + margin).p_equivalence(margin) <= ALPHA for d in differences]),
                np.mean([PairedT(d).p_equivalence(margin) <= ALPHA for d in differences]),
                np.mean([PairedT(d + detectable).p() <= ALPHA for d in differences]),
            ]
            rows.append([measure, str(n), f"{margin:.3f}", f"{detectable:.3f}", *percents(rates)])
    return table(
        ["measure", "questions", "margin", "detectable", "called equivalent at the margin",
         "called equivalent, equal systems", "found at the detectable difference"],
        rows,
    )  # fmt: skip


def clusters(n_sets: int, seed: int, n_resamples: int) -> str:
    """Coverage of the difference of two equal systems whose questions come in clusters."""
    names = ["t", "bootstrap", "t", "percentile", "BCa", "sign flips"]
    rows = []
    for kind, sizes in (("60 of 5", EVEN), ("77 of 1 to 38", UNEVEN), ("10 of 30", FEW)):
        for share in (0.0, 0.3):
            population = Population((MEASURES["nDCG@10"],) * 2, sizes, share)
            unit, labels = population.clusters, [str(one) for one in population.clusters]
            found = []
            for k, scores in enumerate(samples(population, n_sets, seed, kind, str(share))):
                difference = (scores[0] - scores[1])[None]
                single, grouped = ClusteredScores.of(difference), ClusteredScores.of(difference, labels)
                intervals = [interval_of(units, n_resamples, k) for units in (single, grouped)]
                limits = [
                    PairedT(difference[0]).interval(LEVEL),
                    (intervals[0].low, intervals[0].high),
                    ClusteredT(difference[0], unit).interval(LEVEL),
                    (intervals[1].low, intervals[1].high),
                    (intervals[1].bca_low, intervals[1].bca_high),
                ]
                p = sign_flip_p_values(grouped.totals, n_resamples=n_resamples, seed=k)[0]
                found.append([*(low <= 0 <= high for low, high in limits), p > ALPHA])
            rows.append([kind, f"{share:g}", *percents(np.mean(found, axis=0))])
    labels = [f"questions: {name}" for name in names[:2]] + [f"clusters: {name}" for name in names[2:]]
    return table(["clusters", "shared variance", *labels], rows)


def unequal_clusters(n_sets: int, seed: int, _: int) -> str:
    """Coverage of t intervals of a difference and of a mean where clusters have unequal sizes, by two errors."""
    measure = "nDCG@10"
    truths = (0.0, float(MEASURES[measure].mean()))
    rows = []
    for kind, sizes in (("77 of 1 to 38", UNEVEN), ("100 and 40 of 5", THIRD), ("150 and 30 of 5", HALF)):
        effective = f"{effective_clusters(np.array(sizes)):.1f}"
        for share in (0.0, 0.3):
            population = Population((MEASURES[measure],) * 2, sizes, share)
            unit = population.clusters
            found = []
            for scores in samples(population, n_sets, seed, kind, str(share)):
                of_both = zip((scores[0] - scores[1], scores[0]), truths, strict=True)
                found.append(
                    [
                        low <= truth <= high
                        for values, truth in of_both
                        for low, high in (
                            usual_interval(values, unit),
                            ClusteredT(values, unit).interval(LEVEL),
                        )
                    ]
                )
            rows.append([kind, effective, f"{share:g}", *percents(np.mean(found, axis=0))])
    labels = [f"{what}: {error}" for what in ("difference", "mean") for error in ("usual error", "jackknife")]
    return table(["clusters", "effective", "shared variance", *labels], rows)


def usual_interval(differences: np.ndarray, unit: np.ndarray) -> tuple[float, float]:
    """For contrast: the cluster-robust error √(C/(C − 1) · Σ S²) / n with C − 1 degrees of freedom."""
    n, n_clusters, mean = len(differences), int(unit.max()) + 1, float(differences.mean())
    squares = float((np.bincount(unit, differences - mean) ** 2).sum())
    error = np.sqrt(n_clusters / (n_clusters - 1) * squares) / n
    half_width = float(stats.t.ppf((1 + LEVEL) / 2, n_clusters - 1)) * error
    return mean - half_width, mean + half_width


def interval_of(units: ClusteredScores, n_resamples: int, seed: int) -> MeanInterval:
    """Bootstrap intervals of one row of scores."""
    drawn = units.replicates(n_resamples=n_resamples, seed=seed)[:, 0]
    return mean_interval(drawn, float(units.means[0]), units.left_out[:, 0], level=LEVEL)


def seeds(n_sets: int, seed: int, _: int) -> str:
    """Coverage of the mean over questions and seeds, for other questions and seeds."""
    rows = []
    for n_seeds in (3, 5, 10):
        for of_seeds in (0.0, 0.01, 0.05):
            rates = seed_rates(n_seeds, of_seeds, n_sets, seed)
            rows.append(["100", str(n_seeds), f"{of_seeds:g}", *percents(rates)])
    return table(
        ["questions", "seeds", "σ_s (σ_q 0.3, σ_qs 0.2)", "questions and seeds", "t of the means of questions",
         "σ²_s estimated below 0"],
        rows,
    )  # fmt: skip


def seed_rates(n_seeds: int, of_seeds: float, n_sets: int, seed: int, n: int = 100) -> np.ndarray:
    """(3,) shares: both intervals cover, and the variance of seeds is estimated below 0."""
    generator = np.random.default_rng(derive_seed(seed, n_seeds, str(of_seeds)))
    found = []
    for _ in range(n_sets):
        values = (
            0.3 * generator.standard_normal((n, 1))
            + of_seeds * generator.standard_normal(n_seeds)
            + 0.2 * generator.standard_normal((n, n_seeds))
        )
        split = seed_variance(values)
        limits = (split.interval(LEVEL), PairedT(values.mean(axis=1)).interval(LEVEL))
        found.append([*(low <= 0 <= high for low, high in limits), "seeds" in split.negative])
    return np.asarray(np.mean(found, axis=0))


def percents(shares: Sequence[float] | np.ndarray) -> list[str]:
    """With one digit."""
    return [f"{100 * share:.1f}" for share in shares]


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    needs.run(main)
