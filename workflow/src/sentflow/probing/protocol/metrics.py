"""The metrics of the published protocol, in its precision (float32, as torchmetrics computes them)."""

from functools import lru_cache

import numpy as np

METRICS = ("mcc", "adjusted_macro_f1")


def published_metric(
    name: str, truth: np.ndarray, predicted: np.ndarray, *, n_classes: int, clip: bool = True
) -> float:
    """The metric of a task, clipped below at 0 as published, or not.

    `name`: ``"mcc"`` or ``"adjusted_macro_f1"``. `truth`, `predicted`: (n,) integers in [0, n_classes). `n_classes`:
    classes of the task, not of this sample. `clip`: whether values below 0 count as 0.
    """
    value = _of_counts(name, confusion(truth, predicted, n_classes=n_classes).tobytes(), n_classes)
    return max(0.0, value) if clip else value


@lru_cache(maxsize=1024)  # from epoch to epoch the predictions of a part seldom change
def _of_counts(name: str, cells: bytes, n_classes: int) -> float:
    counts = np.frombuffer(cells, dtype=np.int64).reshape(n_classes, n_classes)
    return matthews_correlation(counts) if name == "mcc" else adjusted_macro_f1(counts)


def confusion(truth: np.ndarray, predicted: np.ndarray, *, n_classes: int) -> np.ndarray:
    """(n_classes, n_classes) int64: rows are true classes, columns predicted ones."""
    cells = np.bincount(truth * n_classes + predicted, minlength=n_classes * n_classes)
    return cells.reshape(n_classes, n_classes)


def matthews_correlation(counts: np.ndarray) -> float:
    """Matthews correlation of a confusion matrix, in [−1, 1].

    Where it is undefined (a row or column sum is the whole) it is 0.

    Single precision is part of the protocol: in the search the first best setting wins, so the rounding of
    equal values decides. Sums and products of counts are exact in float32 for parts below 4096 rows.
    """
    true = counts.sum(axis=1).astype(np.float32)
    predicted = counts.sum(axis=0).astype(np.float32)
    n = np.float32(counts.sum())
    covariance = np.float32(np.trace(counts)) * n - np.sum(true * predicted)
    denominator = (n * n - np.sum(predicted * predicted)) * (n * n - np.sum(true * true))
    if denominator == 0:
        return 0.0
    return float(covariance / np.sqrt(denominator))


def adjusted_macro_f1(counts: np.ndarray) -> float:
    """Macro-F1 on a scale where 1/K is 0 and a perfect answer is 1.

    (F1 - 1/K) / (1 - 1/K). A class that neither occurs nor is predicted is left out of the mean, as
    torchmetrics does.
    """
    n_classes = len(counts)
    hits = np.diag(counts).astype(np.float32)
    total = (counts.sum(axis=0) + counts.sum(axis=1)).astype(np.float32)
    present = total > 0
    macro = np.float32(0)
    for f1 in 2 * hits[present] / total[present]:  # one by one: np.sum would round differently
        macro += f1 / np.float32(present.sum())
    chance = np.float32(1 / n_classes)
    return float((macro - chance) / np.float32(1 - 1 / n_classes))
