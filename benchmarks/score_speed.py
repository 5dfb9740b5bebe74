"""How long all intervals of 18 tasks and some encoders take on one core: python benchmarks/score_speed.py

Made-up folds and predictions of the sizes of real tasks: published bootstrap (every epoch of every quantity),
generalisation and item-level intervals, as command `score` computes them, in one process. The plain way calls
``scipy.stats.bootstrap`` once per interval, and computes the metric of one resample of texts after the other; it runs
on a part and is scaled. All limits are compared.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import needs
from bootstrap_speed import scipy_interval
from sentflow.probing.settings import PUBLISHED
from sentflow.stats.items import OutOfFold, Units, item_interval, metric_values, resampling_units
from sentflow.stats.repeatability import PER_EPOCH, QUANTITIES, bootstrap_seed, quantity_seeds
from sentflow.stats.score import score

LEVEL = 0.99
N_RESAMPLES, N_ITEM_RESAMPLES = 10_000, 2000  # of config.yaml
# balanced rows and classes of 18 tasks: from a thousand texts to the pairs of a task of 7,000
TASKS = [
    (rows, classes)
    for rows, classes in ((1250, 2), (2000, 3), (2800, 2), (4000, 2), (5000, 2), (7000, 2))
    for _ in range(3)
]
LONGEST = 37  # epochs of the longest training of a task; most stop before half of it


def folds_of_task(seed: int) -> dict[str, np.ndarray]:
    """The unaggregated table of 50 folds that stop early."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[np.ndarray]] = {
        name: [] for name in ("kfold_repetition", "train_epoch", "metric", "value")
    }
    for fold in range(PUBLISHED.repetitions * PUBLISHED.folds):
        n = LONGEST if fold == 0 else int(np.clip(rng.geometric(2 / LONGEST) + LONGEST // 4, 1, LONGEST))
        for name in QUANTITIES:
            size = n if name in PER_EPOCH else 1
            columns["kfold_repetition"].append(np.full(size, fold // PUBLISHED.folds + 1))
            columns["train_epoch"].append(np.arange(1, size + 1) if name in PER_EPOCH else np.array([-1]))
            columns["metric"].append(np.full(size, name))
            columns["value"].append(rng.normal(0.5, 0.05, size))
    return {name: np.concatenate(parts) for name, parts in columns.items()}


def predictions_of_task(n_rows: int, n_classes: int, seed: int) -> tuple[OutOfFold, Units]:
    """Each row once per repetition, seven of ten right."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_rows) % n_classes
    row = np.concatenate([rng.permutation(n_rows) for _ in range(PUBLISHED.repetitions)])
    right = rng.random(len(row)) < 0.7
    predictions = OutOfFold(
        repetition=np.repeat(np.arange(1, PUBLISHED.repetitions + 1), n_rows),
        fold=np.arange(len(row)) % PUBLISHED.folds + 1,
        row=row,
        truth=labels[row],
        predicted=np.where(right, labels[row], rng.integers(0, n_classes, len(row))),
    )
    return predictions, resampling_units(labels, [None] * n_rows)


def ours(
    folds: dict[str, np.ndarray], predictions: OutOfFold, units: Units, metric: str, n_classes: int
) -> dict:
    """What command `score` computes."""
    items = item_interval(
        predictions,
        units,
        metric=metric,
        n_classes=n_classes,
        level=LEVEL,
        n_resamples=N_ITEM_RESAMPLES,
        seed=0,
    )
    how = {"n_folds": PUBLISHED.folds, "seed": PUBLISHED.seed, "level": LEVEL, "n_resamples": N_RESAMPLES}
    return score(folds, **how, items=items)


def plain_published(folds: dict[str, np.ndarray], found: dict) -> tuple[float, float]:
    """Seconds of SciPy for every interval of a task, and the largest difference of a limit."""
    seeds = quantity_seeds(bootstrap_seed(PUBLISHED.seed, repetitions=PUBLISHED.repetitions))
    differences = []
    start = time.process_time()
    for name in QUANTITIES:
        chosen = folds["metric"] == name
        epochs = folds["train_epoch"]
        limits = [
            scipy_interval(folds["value"][chosen & (epochs == epoch)], seeds[name], vectorised=False)
            for epoch in np.unique(epochs[chosen])
        ]
        here = (np.atleast_1d(found["published"][f"ci99_{side}_{name}"]) for side in ("low", "high"))
        differences.append(np.abs(np.array(limits).T - np.array(list(here))).max())
    return time.process_time() - start, float(max(differences))


def plain_items(
    predictions: OutOfFold, units: Units, metric: str, n_classes: int, *, n_resamples: int
) -> float:
    """Seconds of drawing texts and counting their predictions, one resample after the other, for all resamples."""
    rng = np.random.default_rng(0)
    repetitions = np.unique(predictions.repetition)
    start = time.process_time()
    for _ in range(n_resamples):
        drawn = np.concatenate([rng.choice(members, len(members)) for members in units.strata])
        weight = np.bincount(drawn, minlength=len(units.of_row))[units.of_row[predictions.row]]
        cells = (
            (predictions.repetition - 1) * n_classes**2
            + predictions.truth * n_classes
            + predictions.predicted
        )
        counts = np.bincount(cells, weight, minlength=len(repetitions) * n_classes**2)
        metric_values(metric, counts.reshape(-1, n_classes, n_classes)).mean()
    return (time.process_time() - start) * N_ITEM_RESAMPLES / n_resamples


def main() -> None:
    """Print CPU seconds of ours and of the plain way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=5)
    parser.add_argument("--tasks", type=int, default=len(TASKS), help="the first of them")
    parser.add_argument("--plain-tasks", type=int, default=1, help="on how many the plain way is measured")
    parser.add_argument("--output", type=Path, help="write what is printed as JSON, too")
    args = parser.parse_args()
    seconds, plain_seconds, difference = 0.0, 0.0, 0.0
    for number, (n_rows, n_classes) in enumerate(TASKS[: args.tasks]):
        metric = "mcc" if n_classes == 2 else "adjusted_macro_f1"
        for model in range(args.models):
            folds = folds_of_task(seed=number * 100 + model)
            predictions, units = predictions_of_task(n_rows, n_classes, seed=number * 100 + model)
            start = time.process_time()
            found = ours(folds, predictions, units, metric, n_classes)
            seconds += time.process_time() - start
            if number < args.plain_tasks and model == 0:
                published, largest = plain_published(folds, found)
                plain_seconds += published + plain_items(
                    predictions, units, metric, n_classes, n_resamples=100
                )
                difference = max(difference, largest)
    n_scores = args.tasks * args.models
    plain_all = plain_seconds / min(args.plain_tasks, args.tasks) * n_scores
    results = {
        "tasks": args.tasks,
        "models": args.models,
        "seconds": round(seconds, 2),
        "plain_seconds": round(plain_all, 1),
        "ratio": round(plain_all / seconds, 1),
        "largest_difference": difference,
    }
    print(
        f"{args.tasks} tasks × {args.models} models: {seconds:.1f} CPU seconds; plain way {plain_all:.0f} s",
        end="",
    )
    print(f" (scaled), {plain_all / seconds:.1f} times ours; largest difference of a limit {difference:.1e}")
    if args.output:
        args.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    needs.run(main)
