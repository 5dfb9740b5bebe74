"""Which test of probes is the sharpest that still holds? python benchmarks/probe_procedures.py --mirror FOLDER

Rows, or documents, of a real task are drawn without replacement. Every procedure estimates the score of an encoder and
the difference of two, with a standard error or a test of its own; the truth is the mean, over all samples, of the score
of its probes on what was left out. Says how often a test at 5 % rejects the truth, for the task as the whole population
and for a much larger one (see `probe_documents.coverage`), and what follows is for the larger one: the mean standard
error over the true one, and how often a quantity is found that is 2 or 3 true standard errors of the 10 × 5 folds away.
CPU time as a multiple of that of the 10 × 5 folds. Prints a table in Markdown.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import needs
from probe_errors import (
    FiveByTwo,
    Tested,
    effective_freedom,
    from_folds,
    from_items,
)
from real_probes import DATASETS, CrossValidated, RealTask, cross_validated, drawn, probed, text_task
from sentflow.api.data import probe_protocol
from sentflow.stats.seeds import derive_seed

DOCUMENTS = {"T1A-open": (10, 20, 39), "T2A-open": (50, 150), "T3-open": (125, 500)}
ROWS = (250, 500, 1000, 2000)
QUANTITIES = {"a score": np.array([1.0, 0.0]), "a difference": np.array([1.0, -1.0])}
TEN_BY_FIVE, TEN_BY_TEN, FIVE_BY_TWO = "corrected t, 10 × 5", "corrected t, 10 × 10", "5 × 2 cv F"
GAPS = (2, 3)


@dataclass
class Outcomes:
    """What procedures gave on the samples of one size.

    Attributes
    ----------
    tested
        Quantity → procedure → one per sample, None where documents could not be assigned to folds.
    outside
        Quantity → procedure → one truth per sample, likewise.
    seconds
        Procedure → CPU seconds in all.
    """

    tested: dict[str, dict[str, list[Tested | None]]] = field(default_factory=dict)
    outside: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, what: str, procedure: str, tested: Tested | None, outside: float) -> None:
        """One sample."""
        self.tested.setdefault(what, {}).setdefault(procedure, []).append(tested)
        self.outside.setdefault(what, {}).setdefault(procedure, []).append(outside)

    def spend(self, procedure: str, since: float) -> float:
        """Book the CPU time since `since`; the time now."""
        now = time.process_time()
        self.seconds[procedure] = self.seconds.get(procedure, 0.0) + now - since
        return now


def main() -> None:
    """Draw, apply all procedures, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of real data")
    parser.add_argument("--tasks", nargs="+", choices=DATASETS, default=list(DATASETS))
    parser.add_argument("--units", nargs="+", choices=("documents", "rows"), default=["rows", "documents"])
    parser.add_argument("--samples", type=int, default=1000, help="of each task and size")
    parser.add_argument(
        "--pipeline",
        action="store_true",
        help="the pipeline's own probes (protocol corrected) of samples of rows, by procedures of 10 × 5 folds; "
        "the truth is then the mean of the estimates",
    )
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    args = parser.parse_args()
    columns = (
        "task",
        "drawn",
        "of",
        "procedure",
        "samples",
        "errs",
        "errs, large population",
        "error / true error",
    )
    columns += (*(f"power at {gap}" for gap in GAPS), "CPU")
    print("| " + " | ".join(columns) + " |")
    print("| --- " * len(columns) + "|", flush=True)
    started = time.process_time()
    for name in args.tasks:
        with tempfile.TemporaryDirectory() as folder:
            task = text_task(args.mirror, name, folder=Path(folder))
        for unit in ["rows"] if args.pipeline else args.units:
            for size in DOCUMENTS[name] if unit == "documents" else ROWS:
                apply = (
                    _pipeline_sample if args.pipeline else partial(_one_sample, grouped=unit == "documents")
                )
                seed = derive_seed(args.seed, name, unit, size)
                found = outcomes(task, unit, size, args.samples, seed, apply)
                share = size / (task.documents.max() + 1 if unit == "documents" else len(task.labels))
                for line in lines(found, share):
                    print(f"| {name} | {size} {unit} | {line} |", flush=True)
    print(f"\n{time.process_time() - started:.0f} CPU seconds")


def outcomes(
    task: RealTask, unit: str, size: int, n_samples: int, seed: int, apply: Callable[..., None]
) -> Outcomes:
    """Procedures on all samples."""
    found = Outcomes()
    for number in range(n_samples):
        rows = drawn(task, unit, size, np.random.default_rng([seed, number]))
        apply(found, task, rows, seed=number)
    return found


def _one_sample(found: Outcomes, task: RealTask, rows: np.ndarray, *, grouped: bool, seed: int) -> None:
    """All procedures, where the sample can be assigned to 10 × 5 folds."""
    now = time.process_time()
    base = cross_validated(task, rows, grouped=grouped, seed=seed)
    if base is None:
        return
    now = found.spend(TEN_BY_FIVE, now)
    ten = cross_validated(task, rows, grouped=grouped, seed=seed, folds=10)
    now = found.spend(TEN_BY_TEN, now)
    two = cross_validated(task, rows, grouped=grouped, seed=seed, repetitions=5, folds=2)
    found.spend(FIVE_BY_TWO, now)
    unit = base.documents if grouped else np.arange(len(rows))
    # rows that the classes are cut to count, not those that are left out
    freedom = effective_freedom(base.documents) if grouped else int((base.fold_of[0] >= 0).sum()) - 2
    outside = {
        name: _outside(task, rows, one)
        for name, one in ((TEN_BY_FIVE, base), (TEN_BY_TEN, ten), (FIVE_BY_TWO, two))
    }
    for what, weights in QUANTITIES.items():
        now = time.process_time()
        items = from_items(base, weights, unit, freedom)
        found.spend("items", now)
        tested: dict[str, Tested | None] = {
            TEN_BY_FIVE: from_folds(
                base.scores @ weights, base.folds, freedom if grouped else len(base.scores) - 1
            ),
            TEN_BY_TEN: ten
            and from_folds(ten.scores @ weights, 10, freedom if grouped else len(ten.scores) - 1),
            FIVE_BY_TWO: two and FiveByTwo((two.scores @ weights).reshape(5, 2)),
            **items,
        }
        for procedure, one in tested.items():
            truth = outside.get(procedure, outside[TEN_BY_FIVE])
            found.add(what, procedure, one, float(weights @ truth))


def _pipeline_sample(found: Outcomes, task: RealTask, rows: np.ndarray, *, seed: int) -> None:
    protocol = probe_protocol("corrected").but(seed=seed)
    now = time.process_time()
    base = probed(task, rows, protocol)
    found.spend(TEN_BY_FIVE, now)
    for what, weights in QUANTITIES.items():
        now = time.process_time()
        items = from_items(base, weights, np.arange(len(rows)), int((base.fold_of[0] >= 0).sum()) - 2)
        found.spend("items", now)
        tested: dict[str, Tested] = {
            TEN_BY_FIVE: from_folds(base.scores @ weights, 5, len(base.scores) - 1),
            **items,
        }
        for procedure, one in tested.items():
            found.add(what, procedure, one, one.mean)


def _outside(task: RealTask, rows: np.ndarray, found: CrossValidated | None) -> np.ndarray:
    if found is None:
        return np.full(len(task.features), np.nan)
    return task.outside(rows, found.some_probes)


def lines(found: Outcomes, drawn_share: float) -> Iterator[str]:
    """The rest of a line for each quantity and procedure."""
    for what, procedures in found.tested.items():
        enlarged = 1 / np.sqrt(1 - drawn_share)
        unit = root_mean_square(_away(found, what, TEN_BY_FIVE)) * enlarged
        for procedure, tested in procedures.items():
            own = [one for one in tested if one is not None]
            if not own:
                yield f"{what} | {procedure} | 0" + " | –" * (4 + len(GAPS))
                continue
            away = _away(found, what, procedure)
            large = away * enlarged
            ratio = np.mean([one.error for one in own]) / root_mean_square(large)
            powers = [
                np.mean([_rejected(own, large + gap * unit), _rejected(own, large - gap * unit)])
                for gap in GAPS
            ]
            shares = (_rejected(own, away), _rejected(own, large))
            cells = [
                *(f"{100 * share:.1f}" for share in shares),
                "–" if np.isnan(ratio) else f"{ratio:.2f}",
                *(f"{100 * power:.0f}" for power in powers),
                f"{_cost(found, procedure):.1f}",
            ]
            yield f"{what} | {procedure} | {len(own)} | " + " | ".join(cells)


def _away(found: Outcomes, what: str, procedure: str) -> np.ndarray:
    """(samples,) estimates less the truth, of samples that could be assigned to folds."""
    truth = np.nanmean(found.outside[what][procedure])
    return np.array([one.mean for one in found.tested[what][procedure] if one is not None]) - truth


def _rejected(tested: list[Tested], away: np.ndarray) -> float:
    return float(np.mean([one.rejects(where) for one, where in zip(tested, away, strict=True)]))


def _cost(found: Outcomes, procedure: str) -> float:
    base = found.seconds[TEN_BY_FIVE]
    if procedure in found.seconds and procedure != "items":
        return found.seconds[procedure] / base
    more = found.seconds["items"] / len(QUANTITIES)
    return (base + more) / base


def root_mean_square(values: np.ndarray) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.square(values).mean()))


if __name__ == "__main__":
    with threadpool_limits(1):  # products are small, and threads would wait for each other
        needs.run(main)
