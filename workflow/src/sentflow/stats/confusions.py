"""The metrics of many confusion matrices at once, in double precision."""

import numpy as np


def metric_values(name: str, counts: np.ndarray) -> np.ndarray:
    """The metric of each confusion matrix.

    Parameters
    ----------
    name
        ``"mcc"`` or ``"adjusted_macro_f1"``.
    counts
        (…, K, K), true classes in rows; weights need not be whole numbers.

    Returns
    -------
    np.ndarray
        (…) float64, not cut at 0; equal to `sentflow.probing.fold` but for its single precision.
    """
    counts = counts.astype(np.float64)
    return _matthews_correlations(counts) if name == "mcc" else _adjusted_macro_f1s(counts)


def _matthews_correlations(counts: np.ndarray) -> np.ndarray:
    true, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    n, hits = true.sum(axis=-1), np.trace(counts, axis1=-2, axis2=-1)
    covariance = hits * n - (true * predicted).sum(axis=-1)
    variances = (n * n - (predicted**2).sum(axis=-1)) * (n * n - (true**2).sum(axis=-1))
    undefined = variances <= 0
    values: np.ndarray = np.where(undefined, 0.0, covariance / np.sqrt(np.where(undefined, 1.0, variances)))
    return values


def _adjusted_macro_f1s(counts: np.ndarray) -> np.ndarray:
    n_classes = counts.shape[-1]
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    total = counts.sum(axis=-1) + counts.sum(axis=-2)
    present = total > 0
    # a class that neither occurs nor is predicted is left out of the mean
    f1 = np.where(present, 2 * hits / np.where(present, total, 1.0), 0.0)
    macro = f1.sum(axis=-1) / np.maximum(present.sum(axis=-1), 1)
    values: np.ndarray = (macro - 1 / n_classes) / (1 - 1 / n_classes)
    return values
