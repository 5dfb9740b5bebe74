"""How much faster the probes are than a plain implementation: python benchmarks/probe_speed.py

Both run in one process on one thread, on the same folds of the same synthetic rows; their scores are compared. The
plain implementation runs on a few folds, ours on one repetition before and one after them; both are scaled to 50 folds
and told in CPU seconds, which other programs beside change less than the clock.
"""

import argparse
import time

import numpy as np
import torch

import needs
from plain_probe import plain_cross_validate
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.settings import PUBLISHED

# rows, features, classes, hidden units, plain folds
SHAPES = {
    "binary": (7000, 384, 2, None, 1),
    "small": (1250, 384, 2, None, 2),
    "three": (2000, 384, 3, None, 2),
    "pairs": (7000, 1536, 2, None, 1),
    "wide": (5000, 3072, 2, None, 1),
    "mlp": (1250, 384, 2, 256, 2),
    "alternatives": (800, 1920, 4, 256, 1),
}


def main() -> None:
    """Print one line per shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="*", default=["binary"], help=f"of {', '.join(SHAPES)}")
    torch.set_num_threads(1)
    print(
        "| shape | rows × features | classes | ours, 50 folds | plain, 50 folds | ratio | largest difference |"
    )
    print("|---|---|---|---|---|---|---|")
    args = parser.parse_args()
    for n_classes, hidden in ((2, None), (3, 8)):  # imports, compilation and first calls are not the subject
        ours(*rows(600, 8, n_classes), hidden)
    for name in args.shapes:
        n_rows, width, n_classes, hidden, n_plain = SHAPES[name]
        features, labels = rows(n_rows, width, n_classes)
        before, scores = ours(features, labels, hidden)
        wanted = {(1, fold) for fold in range(1, n_plain + 1)}
        start = time.process_time()
        plain = plain_cross_validate(
            features, labels, metric=metric_of(labels), hidden=hidden, protocol=PUBLISHED, wanted=wanted
        )
        plain_seconds = (time.process_time() - start) * 50 / n_plain
        seconds = (before + ours(features, labels, hidden)[0]) / 2
        difference = max(abs(mine - other) for mine, other in zip(scores, plain, strict=False))
        print(
            f"| {name} | {n_rows} × {width} | {n_classes} | {seconds:.1f} s | {plain_seconds:.0f} s |"
            f" {plain_seconds / seconds:.1f} | {difference:.0e} |",
            flush=True,
        )


def ours(features: np.ndarray, labels: np.ndarray, hidden: int | None) -> tuple[float, list[float]]:
    """CPU seconds of 50 folds, and the scores of the five of one repetition."""
    start = time.process_time()
    result = cross_validate(features, labels, metric=metric_of(labels), hidden=hidden, repetitions=1)
    seconds = (time.process_time() - start) * 50 / len(result.folds)
    return seconds, [fold.test_metric for fold in result.folds]


def metric_of(labels: np.ndarray) -> str:
    return "mcc" if labels.max() == 1 else "adjusted_macro_f1"


def rows(n_rows: int, width: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal features with a weak linear signal."""
    generator = np.random.default_rng(1)
    labels = np.arange(n_rows) % n_classes
    centres = generator.normal(size=(n_classes, width)) * 0.08
    features = generator.normal(size=(n_rows, width)) + centres[labels]
    return features.astype(np.float32), labels


if __name__ == "__main__":
    needs.run(main)
