"""Do the intervals cover, and do the tests hold their error rate? python benchmarks/interval_coverage.py --sets 1000

Simulated data sets (`simulated_probes`) against the number of texts and against the true score; the intervals and tests
of sentflow beside those that take fold scores for independent. Prints the rates as tables in Markdown.
The same seed gives the same rates.
"""

import argparse
import math
import time
from collections import defaultdict

import numpy as np
from scipy import stats

import needs
from sentflow.stats.items import item_replicates, resampling_units
from sentflow.stats.multiplicity import holm
from sentflow.stats.paired import CorrectedT, mcnemar
from sentflow.stats.repeatability import published_intervals
from sentflow.stats.resampling import percentile_limits
from simulated_probes import Sample, World, samples, true_scores

FOLDS = 5
LEVEL = 0.99
SIZES = (200, 400, 800, 1600, 3200)
SEPARATIONS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
BASE_ROWS, BASE_SEPARATION = 400, 1.0
N_EQUAL = 2
N_FOR_TRUTH = 5000  # training sets whose expected score is the truth
# (rows, separations of two encoders) whose difference is to be found
UNEQUAL = ((800, (1.0, 1.3)), (800, (1.0, 1.5)))
FOUR_EQUAL = (400, (1.0,) * 4)

INTERVALS = {
    "generalisation": "generalisation",
    "item": "item-level",
    "published": "published bootstrap",
    "naive t": "t of 50 independent scores",
}
TESTS = {
    "corrected t": "corrected resampled t",
    "item difference": "paired bootstrap of texts",
    "mcnemar": "McNemar, one repetition",
    "naive t": "t on 50 differences",
    "wilcoxon": "Wilcoxon on 50 differences",
    "repetitions": "t on 10 repetition means",
    "overlap": "published 99 % intervals apart",
}


def main() -> None:
    """Simulate every condition and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="data sets per condition")
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    parser.add_argument("--resamples", type=int, default=1000, help="of each bootstrap")
    args = parser.parse_args()
    started = time.perf_counter()
    results = simulate(args.sets, args.seed, args.resamples)
    results["seconds"] = round(time.perf_counter() - started)
    print(table(results))


def simulate(n_sets: int, seed: int, n_resamples: int) -> dict:
    """Rates of every condition."""
    base = World(BASE_ROWS, (BASE_SEPARATION,) * N_EQUAL)
    by_size = [World(n, (BASE_SEPARATION,) * N_EQUAL) for n in SIZES]
    by_score = [base if s == BASE_SEPARATION else World(BASE_ROWS, (s,) * N_EQUAL) for s in SEPARATIONS]
    known = {
        world: rates(world, n_sets, seed + index, n_resamples)
        for index, world in enumerate(dict.fromkeys([*by_size, *by_score]))
    }
    return {
        "sets": n_sets,
        "seed": seed,
        "resamples": n_resamples,
        "by_size": [known[world] for world in by_size],
        "by_score": [known[world] for world in by_score],
        "power": [power(World(*unequal), n_sets, seed + 100) for unequal in UNEQUAL],
        "four_equal": family(World(*FOUR_EQUAL), n_sets, seed + 200),
    }


def rates(world: World, n_sets: int, seed: int, n_resamples: int) -> dict:
    """Coverage and width of the intervals of one encoder, and rejections between two that are equal."""
    truth = float(true_scores(World(world.n_rows, world.separations[:1]), n_sets=N_FOR_TRUTH, seed=seed)[0])
    covered, widths, p_values = defaultdict(list), defaultdict(list), defaultdict(list)
    for sample in samples(world, n_sets=n_sets, seed=seed):
        replicates = item_replicates(
            sample.predictions,
            resampling_units(sample.labels, [None] * len(sample.labels)),
            metric="mcc",
            n_classes=2,
            n_resamples=n_resamples,
            seed=seed,
        )[1:]
        published = [
            published_intervals([scores], seed=seed, n_resamples=n_resamples, level=LEVEL)[0]
            for scores in sample.scores.T
        ]
        for name, (low, high) in intervals(sample, replicates[:, 0], published[0]).items():
            covered[name].append(low <= truth <= high)
            widths[name].append(high - low)
        for name, p in tests(sample, replicates, published).items():
            p_values[name].append(p)
    return {
        "rows": world.n_rows,
        "truth": truth,
        "coverage": {name: float(np.mean(covered[name])) for name in INTERVALS},
        "width": {name: float(np.mean(widths[name])) for name in INTERVALS},
        "rejected": {
            name: {str(alpha): float(np.mean(np.array(p_values[name]) <= alpha)) for alpha in (0.05, 0.01)}
            for name in TESTS
        },
    }


def intervals(sample: Sample, replicates: np.ndarray, published) -> dict[str, tuple[float, float]]:
    """Each interval of the first encoder."""
    scores = sample.scores[:, 0]
    naive = stats.t.ppf((1 + LEVEL) / 2, len(scores) - 1) * scores.std(ddof=1) / math.sqrt(len(scores))
    return {
        "generalisation": CorrectedT(scores, FOLDS).interval(LEVEL),
        "item": percentile_limits(replicates, LEVEL),
        "published": published,
        "naive t": (scores.mean() - naive, scores.mean() + naive),
    }


def tests(sample: Sample, replicates: np.ndarray, published) -> dict[str, float]:
    """p of each test between the first two encoders; 0 or 1 where a test gives no p."""
    differences = sample.scores[:, 0] - sample.scores[:, 1]
    first, second = sample.predictions[:2]
    own = first.repetition == 1
    apart = published[0][0] > published[1][1] or published[1][0] > published[0][1]
    below = float((replicates[:, 0] <= replicates[:, 1]).mean())
    return {
        "corrected t": CorrectedT(differences, FOLDS).p(),
        "item difference": min(1.0, 2 * min(below, 1 - below)),
        "mcnemar": mcnemar(*(one.predicted[own] == one.truth[own] for one in (first, second))),
        "naive t": float(stats.ttest_1samp(differences, 0.0).pvalue),
        "wilcoxon": float(stats.wilcoxon(differences, method="asymptotic").pvalue),
        "repetitions": float(stats.ttest_1samp(differences.reshape(-1, FOLDS).mean(axis=1), 0.0).pvalue),
        "overlap": 0.0 if apart else 1.0,
    }


def power(world: World, n_sets: int, seed: int) -> dict:
    """How often a true difference is found, and how often the formula for it says so."""
    truth = true_scores(world, n_sets=N_FOR_TRUTH, seed=seed)
    found = [
        CorrectedT(sample.scores[:, 1] - sample.scores[:, 0], FOLDS)
        for sample in samples(world, n_sets=n_sets, seed=seed)
    ]
    gap = float(truth[1] - truth[0])
    spread = float(np.sqrt(np.mean([test.error**2 for test in found])))
    critical, df = stats.t.ppf(0.975, found[0].freedom), found[0].freedom
    return {
        "rows": world.n_rows,
        "truth": truth.tolist(),
        "found": float(np.mean([test.p() <= 0.05 for test in found])),
        "said": float(stats.t.cdf(gap / spread - critical, df)),
        "detectable": float(np.mean([test.detectable(0.05) for test in found])),
    }


def family(world: World, n_sets: int, seed: int) -> dict:
    """How often any of the six pairs of four equal encoders is called different."""
    adjusted, single = [], []
    for sample in samples(world, n_sets=n_sets, seed=seed):
        pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
        p_values = [CorrectedT(sample.scores[:, a] - sample.scores[:, b], FOLDS).p() for a, b in pairs]
        adjusted.append(min(holm(p_values)) <= 0.05)
        single.append(min(p_values) <= 0.05)
    return {"rows": world.n_rows, "holm": float(np.mean(adjusted)), "unadjusted": float(np.mean(single))}


def table(results: dict) -> str:
    """Markdown of everything."""
    conditions = [*results["by_size"], *results["by_score"]]
    lines = [
        f"{results['sets']} data sets per condition, seed {results['seed']}, {results['seconds']} s",
        "",
        "| rows | true MCC | "
        + " | ".join(INTERVALS.values())
        + " | width: generalisation | width: published |",
        "|---" * (len(INTERVALS) + 4) + "|",
    ]
    for one in conditions:
        cells = [f"{one['rows']:,}", f"{one['truth']:.3f}"]
        cells += [f"{100 * one['coverage'][name]:.1f} %" for name in INTERVALS]
        cells += [f"{one['width'][name]:.3f}" for name in ("generalisation", "published")]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "| rows | true MCC | " + " | ".join(TESTS.values()) + " |", "|---" * (len(TESTS) + 2) + "|"]
    for one in conditions:
        cells = [f"{one['rows']:,}", f"{one['truth']:.3f}"]
        for name in TESTS:
            rejected = {alpha: 100 * share for alpha, share in one["rejected"][name].items()}
            five = "–" if name == "overlap" else f"{rejected['0.05']:.1f}"
            cells.append(f"{five} / {rejected['0.01']:.1f}")
        lines.append("| " + " | ".join(cells) + " |")
    for one in results["power"]:
        lines += [
            "",
            f"power at n = {one['rows']}, true scores {one['truth'][0]:.3f} and {one['truth'][1]:.3f}: found "
            f"{100 * one['found']:.1f} %, formula {100 * one['said']:.1f} %, detectable {one['detectable']:.3f}",
        ]
    four = results["four_equal"]
    shares = f"Holm {100 * four['holm']:.1f} %, unadjusted {100 * four['unadjusted']:.1f} %"
    lines += ["", f"four equal encoders, any of six pairs called different: {shares}"]
    return "\n".join(lines)


if __name__ == "__main__":
    needs.run(main)
