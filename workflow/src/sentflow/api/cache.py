"""Embeddings of tasks on disk, under a name that the caller chose.

The published cache believes the name. Here a few rows are embedded again and compared, so that vectors of another
model, prompt, truncation or precision under the same name are found out; so are those of other texts.
"""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from sentflow.encoders.protocol import FloatArray, IntArray
from sentflow.encoders.vectors.storage import read_embeddings, text_order_sha256, write_embeddings
from sentflow.errors import DataError

SAMPLE_ROWS = 8
# Relative length of the difference. Float32 vectors change by 1e-6 with their neighbours in a batch; another
# precision or truncation changes them by more than this.
TOLERANCE = 1e-3


def cached_features(
    folder: Path,
    task: str,
    rows: Sequence[str],
    embed: Callable[[IntArray], FloatArray],
    *,
    ignore_cached: bool,
) -> FloatArray:
    """Features of a task's rows, from the folder if they are there and still right, else made and saved.

    Returns
    -------
    ndarray
        (n, D) float32.
    """
    array, info = folder / f"{task}.npy", folder / f"{task}.json"
    if array.exists() and not ignore_cached:
        features = _still_right(array, info, rows, embed)
        if features is not None:
            return features
    features = embed(np.arange(len(rows)))
    write_embeddings(array, info, features, {"task": task, "text_order_sha256": text_order_sha256(rows)})
    return features


def _still_right(
    array: Path, info: Path, rows: Sequence[str], embed: Callable[[IntArray], FloatArray]
) -> FloatArray | None:
    try:
        features = read_embeddings(array, info, rows)
    except DataError as error:
        _warn(f"the cached embeddings are not used and are computed again: {error}")
        return None
    sample = np.unique(np.linspace(0, len(rows) - 1, SAMPLE_ROWS).astype(np.int64))
    fresh = embed(sample)
    if fresh.shape != features[sample].shape or _difference(fresh, features[sample]) > TOLERANCE:
        _warn(
            f"{array} holds vectors of another model, or of other settings (prompt, truncation, "
            "precision, embed). "
            "They are computed again. Give every model its own cache_embed_key."
        )
        return None
    return features


def _difference(fresh: FloatArray, stored: FloatArray) -> float:
    lengths = np.maximum(np.linalg.norm(stored, axis=1), np.finfo(np.float32).tiny)
    return float((np.linalg.norm(fresh - stored, axis=1) / lengths).max())


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=6)  # the line that called evaluate_in_task
