"""How much faster the probes are than a plain implementation: python benchmarks/probe_speed.py

Both run in one process on one thread, on the same folds of the same synthetic rows; their scores are compared. The
plain implementation runs on a few folds, ours on one repetition; both are scaled to 50 folds.
"""

import argparse
import time

import numpy as np
import torch

from plain_probe import plain_cross_validate
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.protocol.settings import PUBLISHED

# rows, features, classes, hidden units, plain folds
SHAPES = {
    "binary": (7000, 384, 2, None, 2),
    "small": (1250, 384, 2, None, 5),
    "three": (2000, 384, 3, None, 5),
    "pairs": (7000, 1536, 2, None, 1),
    "wide": (5000, 3072, 2, None, 1),
    "mlp": (1250, 384, 2, 256, 2),
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
    for n_classes, metric in (
        (2, "mcc"),
        (3, "adjusted_macro_f1"),
    ):  # imports and first calls are not the subject
        cross_validate(*rows(600, 8, n_classes), metric=metric, repetitions=1)
    for name in args.shapes:
        n_rows, width, n_classes, hidden, n_plain = SHAPES[name]
        features, labels = rows(n_rows, width, n_classes)
        metric = "mcc" if n_classes == 2 else "adjusted_macro_f1"
        start = time.perf_counter()
        ours = cross_validate(features, labels, metric=metric, hidden=hidden, repetitions=1)
        seconds = (time.perf_counter() - start) * 50 / len(ours.folds)
        wanted = {(1, fold) for fold in range(1, n_plain + 1)}
        start = time.perf_counter()
        plain = plain_cross_validate(
            features, labels, metric=metric, hidden=hidden, protocol=PUBLISHED, wanted=wanted
        )
        plain_seconds = (time.perf_counter() - start) * 50 / n_plain
        difference = max(
            abs(fold.test_metric - value) for fold, value in zip(ours.folds[:n_plain], plain, strict=True)
        )
        print(
            f"| {name} | {n_rows} × {width} | {n_classes} | {seconds:.1f} s | {plain_seconds:.0f} s |"
            f" {plain_seconds / seconds:.1f} | {difference:.0e} |",
            flush=True,
        )


def rows(n_rows: int, width: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal features with a weak linear signal."""
    generator = np.random.default_rng(1)
    labels = np.arange(n_rows) % n_classes
    centres = generator.normal(size=(n_classes, width)) * 0.08
    features = generator.normal(size=(n_rows, width)) + centres[labels]
    return features.astype(np.float32), labels


if __name__ == "__main__":
    main()
