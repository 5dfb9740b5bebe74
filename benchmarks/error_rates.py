"""Error rates of the intervals and tests that are printed, for the code as it is. python benchmarks/error_rates.py

One line per claim: what, on which population, how often it errs or covers, with the standard error of that rate. Real
texts, judgements and pairs of the mirror where there are any. Prints tables in Markdown.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import stdtr
from threadpoolctl import threadpool_limits

import needs
from average_coverage import DESIGNS, SPREADS, shares
from pair_graphs import EFFECTS, PARTS, RHO, read, scores
from probe_documents import KINDS, QUANTITIES, coverage
from probe_documents import samples as document_samples
from probe_levels import TESTS, samples, wrong_rejections
from real_probes import THREE_CLASSES, RealTask, text_task
from real_scores import OTHERS, measured
from retrieval_tests import seed_rates
from sentflow.api.data import known_tasks, load_task
from sentflow.compare.pair_sets import normal_test
from sentflow.probing.settings import PUBLISHED
from sentflow.similarity.measures import spearman
from sentflow.similarity.scores import bootstrap
from sentflow.stats.means import interval_of_scores, says_enough
from sentflow.stats.multiplicity import sign_flip_p_values
from sentflow.stats.out_of_fold import OutOfFoldT, by_repetition, row_scores
from sentflow.stats.paired import CorrectedT, PairedT
from sentflow.stats.resampling import Bootstrap, percentile_limits
from sentflow.stats.seed_variance import LEAST_SEEDS
from sentflow.stats.seeds import derive_seed
from sentflow.texts.table import row_graph
from simulated_probes import World
from simulated_probes import samples as simulated_samples

LEVEL, ALPHA = 0.95, 0.05
MEASURES = ["nDCG@10", "RR@10", "AP@100", "P@10", "R@10", "R@100"]
SIZES = (17, 25, 30, 50, 100, 200)
DRAWS = Bootstrap(LEVEL, 499, 1)
Line = tuple[str, ...]


def main() -> None:
    """Print the tables that are asked for."""
    tables = {
        one.__name__: one
        for one in (probes, class_shares, questions, pairs, seeds, documents, shared_texts, averages)
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of real data")
    parser.add_argument("--tables", nargs="+", choices=tables, default=list(tables))
    parser.add_argument("--samples", type=int, default=400, help="per line")
    args = parser.parse_args()
    for name in args.tables:
        started = time.process_time()
        print(f"{tables[name].__doc__}\n")
        for place, line in enumerate(tables[name](args.mirror, args.samples)):
            print(f"| {' | '.join(line)} |", flush=True)
            if not place:
                print("| --- " * len(line) + "|")
        print(f"\n{time.process_time() - started:.0f} CPU seconds\n", flush=True)


def percent(found: np.ndarray) -> str:
    """Of (n,) or (n, m) outcomes, NaN where there is none, with the standard error of n independent ones."""
    own = found[~np.isnan(found)] if found.ndim == 1 else found.mean(axis=1)
    if not len(own):
        return "–"
    return f"{100 * own.mean():.1f} ± {100 * own.std() / np.sqrt(len(own)):.1f}"


@cache
def task_of(name: str, mirror: Path, n_encoders: int) -> RealTask:
    """See `text_task`."""
    with tempfile.TemporaryDirectory() as folder:
        return text_task(mirror, name, folder=Path(folder), n_encoders=n_encoders)


def probes(mirror: Path, n_samples: int) -> Iterator[Line]:
    """Tests of two encoders on a task at 5 %: true differences rejected, error over the true one, and power."""
    yield (
        "task",
        "smallest class",
        "rows",
        "folds",
        "test",
        "taken",
        "rejects",
        "error / true",
        "power at 2 errors",
    )
    places = [
        ("T1A-open", 1000),
        ("T1B-open", 500),
        ("T2A-open", 1000),
        ("T2A-open", 2000),
        (THREE_CLASSES, 2000),
    ]
    designs: list[tuple[str, dict[str, int]]] = [
        ("10 × 5", {}),
        ("10 × 5, 80 % trained on", {"on_all": True}),
        ("10 × 10", {"folds": 10}),
        ("2 × 5", {"repetitions": 2}),
    ]
    conditions = [(*place, *designs[0]) for place in places] + [(*places[0], *one) for one in designs[1:]]
    for name, size, title, design in conditions:
        task = task_of(name, mirror, 4)
        found = list(samples(task, size, n_samples, derive_seed(1, name, "levels", size), **design))
        for test in TESTS:
            own = wrong_rejections(found, test, drawn_share=size / len(task.labels))
            smallest = np.bincount(task.labels).min() / len(task.labels)
            taken = "yes" if (test == TESTS[0]) == (not design) else "no"
            ratio = f"{own.ratios.min():.2f} to {own.ratios.max():.2f}"
            rejected = percent((own.p <= ALPHA).astype(float))
            about = (name, f"{100 * smallest:.0f} %", f"{size:,}", title, test, taken)
            yield *about, rejected, ratio, f"{100 * own.power:.0f}"


def class_shares(_: Path, n_samples: int) -> Iterator[Line]:
    """The same tests of two equal encoders on 1,000 simulated texts, by the share of the smaller class."""
    yield "smaller class", "test", "rejects", "error / true", "power at 2 errors"
    for one_in in (2, 3, 5, 10, 20):
        both: list[list[PairedT]] = []
        for one in simulated_samples(World(1000, (1.0, 1.0), one_in), n_sets=n_samples, seed=one_in):
            differences = one.scores[:, 0] - one.scores[:, 1]
            a, b = (row_scores("mcc", 2, *by_repetition(own)) for own in one.predictions)
            both.append([OutOfFoldT(differences, a, b), CorrectedT(differences, 5)])
        for name, own in zip(TESTS, zip(*both, strict=True), strict=True):
            mean, error, freedom = np.array([[test.mean, test.error, test.freedom] for test in own]).T
            true = np.sqrt(np.mean(mean**2))
            p = [2 * stdtr(freedom, -np.abs(mean + away * true) / error) for away in (0, -2, 2)]
            power = f"{100 * np.mean(np.array(p[1:]) <= ALPHA):.0f}"
            rejected = percent((p[0] <= ALPHA).astype(float))
            yield f"{100 / one_in:.0f} %", name, rejected, f"{error.mean() / true:.2f}", power


def questions(mirror: Path, n_samples: int) -> Iterator[Line]:
    """95 % intervals of means and differences over questions drawn from real ones; p of equal systems at 5 %."""
    header = ["questions", "means: cover", "cells", "worst cell", "cells printed in under half: cover"]
    yield (*header, "differences: cover", "p of the t-test errs", "p by sign flips errs")
    known = [
        (name, place, one.values)
        for name in OTHERS
        for place, one in enumerate(measured(name, mirror, MEASURES))
    ]
    for n in SIZES:
        cells, rare, differences, t, flips = [], [], [], [], []
        for name, place, values in known:
            generator = np.random.default_rng(derive_seed(1, name, MEASURES[place], n))
            drawn = [values[:2, generator.integers(0, values.shape[1], n)] for _ in range(n_samples)]
            limits = np.array([interval_of_scores(one[0], DRAWS) for one in drawn])
            own = contain(limits, values[0].mean())
            usual = np.mean(np.isfinite(own)) >= 0.5
            if usual:
                cells.append((own, f"{name} {MEASURES[place]}"))
            else:
                rare.append(own)
            tests = [PairedT(one[0] - one[1]) for one in drawn]
            limits = np.array(
                [one.interval(LEVEL) if says_enough(one.differences) else (np.nan,) * 2 for one in tests]
            )
            differences.append(contain(limits, (values[0] - values[1]).mean()))
            if n > values.shape[1]:
                continue
            for seed in range(n_samples):
                # what each system got on a question is given to them in random order, so that they are equal
                some = generator.choice(values.shape[1], n, replace=False)
                a, b = generator.permuted(values[:2, some], axis=0)
                if says_enough(a - b):
                    t.append(PairedT(a - b).p() <= ALPHA)
                else:
                    flips.append(sign_flip_p_values((a - b)[None], n_resamples=999, seed=seed)[0] <= ALPHA)
        worst, where = min(cells, key=lambda one: float(np.nanmean(one[0])))
        covered = [np.concatenate(own) for own in ([own for own, _ in cells], rare, differences)]
        means, few, of_differences = (percent(own) for own in covered)
        errors = (percent(np.array(own, float)) for own in (t, flips))
        told = f"{percent(worst)} ({where})"
        yield str(n), means, str(len(cells)), told, few, of_differences, *errors


def contain(limits: np.ndarray, truth: float) -> np.ndarray:
    """(n,) of (n, 2) limits: 1 or 0, NaN where nothing is printed."""
    return np.where(np.isnan(limits[:, 0]), np.nan, (limits[:, 0] <= truth) & (truth <= limits[:, 1]))


def pairs(mirror: Path, n_samples: int) -> Iterator[Line]:
    """Semantic similarity, scores simulated on the graphs of real pair sets: 95 % intervals, tests at 5 %."""
    header = ["pair set", "effects of sentences, of components", "pairs", "effective", "printed"]
    yield (*header, "interval covers", "interval of the difference covers", "test errs")
    truth = 6 / np.pi * np.arcsin(RHO / 2)
    for name, effects in product((*PARTS, "STS16", "STSB-test"), EFFECTS):
        graph = read(name, mirror).graph
        generator, found = np.random.default_rng(derive_seed(1, name)), []
        for seed in range(n_samples):
            gold, columns = scores(graph, *effects, generator)
            drawn = bootstrap(gold, columns, graph.units, n_resamples=199, seed=seed)["spearman"]
            low, high = percentile_limits(drawn[:, 0], LEVEL)
            difference = spearman(columns[0], gold) - spearman(columns[1], gold)
            (below, above), p = normal_test(difference, drawn[:, 0] - drawn[:, 1], level=LEVEL)
            found.append([low <= truth <= high, below <= 0 <= above, p <= ALPHA])
        about = (
            name,
            f"{effects[0]:g}, {effects[1]:g}",
            f"{len(graph.first):,}",
            f"{graph.units.effective_pairs:.0f}",
        )
        printed = "yes" if graph.units.says_enough else "no"
        yield *about, printed, *(percent(own) for own in np.array(found, float).T)


def seeds(_: Path, n_samples: int) -> Iterator[Line]:
    """95 % intervals for new seeds and questions: 100 questions, deviations .3 (questions) and .2 (both)."""
    yield "seeds", "deviation of seeds", "covers"
    for n_seeds in (2, 3, 6, 10):
        for of_seeds in (0.0, 0.01, 0.05):
            if n_seeds < LEAST_SEEDS:
                yield str(n_seeds), f"{of_seeds:g}", "no interval"
                continue
            share = seed_rates(n_seeds, of_seeds, 10 * n_samples, 1)[0]
            error = np.sqrt(share * (1 - share) / (10 * n_samples))
            yield str(n_seeds), f"{of_seeds:g}", f"{100 * share:.1f} ± {100 * error:.1f}"


def documents(mirror: Path, n_samples: int) -> Iterator[Line]:
    """95 % intervals for new documents: of the task as the whole population, and of a much larger one."""
    yield "task", "documents", "effective", "of", "covers", "covers, large population", "standard error"
    for name, sizes in (("T1A-open", (8, 10, 20)), ("T2A-open", (25, 100)), ("T3-open", (125,))):
        task = task_of(name, mirror, 2)
        for size in sizes:
            found = list(document_samples(task, "documents", size, n_samples, derive_seed(1, name, size)))
            share = size / (task.documents.max() + 1)
            effective = np.mean([one.effective for one in found])
            for what in QUANTITIES:
                both = [coverage(found, what, KINDS[2], drawn_share=own)[0] for own in (0.0, share)]
                error = np.sqrt(both[1] * (1 - both[1]) / len(found))
                rates = [f"{100 * one:.1f}" for one in (*both, error)]
                yield name, str(size), f"{effective:.1f}", what, *rates


def shared_texts(mirror: Path, _: int) -> Iterator[Line]:
    """Tasks of two texts: independent rows that theirs are worth at least, and the largest connected part."""
    yield "task", "rows", "independent", "largest connected", "documents: texts"
    known = known_tasks({})
    for name in (
        one
        for one, entry in known["tasks"].items()
        if one.endswith("-sample") and entry["layout"] != "single"
    ):
        with tempfile.TemporaryDirectory() as folder:
            table = load_task(name, known, folder=Path(folder), protocol=PUBLISHED, mirrors=[str(mirror)])
        graph, n = row_graph(table), len(table)
        largest = int(np.bincount(graph.component).max())
        if table.text_b:
            yield (
                name,
                str(n),
                f"{graph.effective_rows:.0f}",
                str(largest),
                "refused" if 2 * largest > n else "possible",
            )


def averages(_: Path, n_samples: int) -> Iterator[Line]:
    """95 % intervals of the average difference over tasks; `average_coverage.py` has all lines."""
    yield "tasks of each source", "between tasks", "between sources", "error", "covers"
    for name in ("6 of 3", "7, 5, 2, 1, 1, 1, 1"):
        for spreads in SPREADS:
            share = shares(DESIGNS[name], spreads, n_samples, 1)[0] / 100
            error = np.sqrt(share * (1 - share) / n_samples)
            yield name, *(f"{one:g}" for one in spreads), f"{100 * share:.1f} ± {100 * error:.1f}"


if __name__ == "__main__":
    with threadpool_limits(1):  # products are small, and threads would wait for each other
        needs.run(main)
