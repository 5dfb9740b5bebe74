"""The published ways from texts to features: by an encoder, and by a vectoriser fitted on training texts."""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sentflow.api.arguments import ArgumentError
from sentflow.encoders.protocol import FloatArray
from sentflow.probing.features.rows import pair_features
from sentflow.texts.table import SEPARATOR

if TYPE_CHECKING:
    import torch


def encode_rows(
    model: Any,
    texts_a: Sequence[str],
    texts_b: Sequence[str] | None,
    *,
    alternatives: bool,
    task: str,
    options: dict[str, Any],
) -> FloatArray:
    """Features of n rows from a model's `encode`, which is given every distinct text once.

    Returns
    -------
    ndarray
        float32: (n, D), (n, 4 D) for pairs, (n, (1 + k) D) for k alternatives.
    """
    columns = text_columns(texts_a, texts_b, alternatives=alternatives)
    distinct = list(dict.fromkeys(text for column in columns for text in column))
    vectors = _encode(model, distinct, task=task, options=options)
    row_of = {text: row for row, text in enumerate(distinct)}
    embedded = [vectors[[row_of[text] for text in column]] for column in columns]
    return features_of_columns(embedded, alternatives=alternatives)


def transform_columns(vectoriser: Any, columns: Sequence[list[str]], *, alternatives: bool) -> FloatArray:
    """Features of n rows from a fitted vectoriser and `text_columns`; see `features_of_columns`."""
    vectors = [as_array(vectoriser.transform(column)) for column in columns]
    return features_of_columns(vectors, alternatives=alternatives)


def text_columns(
    texts_a: Sequence[str], texts_b: Sequence[str] | None, *, alternatives: bool
) -> list[list[str]]:
    """The texts that are embedded side by side: text a; text b, or with `alternatives` the first, the second, …"""
    if texts_b is None:
        return [list(texts_a)]
    return [list(texts_a), *(_alternatives(texts_b) if alternatives else [list(texts_b)])]


def features_of_columns(vectors: Sequence[FloatArray], *, alternatives: bool) -> FloatArray:
    """(n, D) float32 vectors of `text_columns` → the published layout: (n, D), (n, 4 D), or (n, (1 + k) D)."""
    if len(vectors) == 1:
        return vectors[0]
    return np.concatenate(vectors, axis=1) if alternatives else pair_features(*vectors)


def checked_features(values: Any, *, n_rows: int, source: str) -> FloatArray:
    """What an `embed` returned, as (n_rows, D) float32."""
    try:
        features = as_array(values)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"{source} returned {type(values).__name__}, which is not an array of numbers: {error}. "
            "Return a torch tensor or a NumPy array."
        ) from error
    if features.ndim != 2 or len(features) != n_rows or features.shape[1] == 0:
        raise ArgumentError(
            f"{source} returned the shape {features.shape} for {n_rows} rows. Return one vector per "
            f"row: ({n_rows}, D)."
        )
    if len(bad := np.flatnonzero(~np.isfinite(features).all(axis=1))):
        raise ArgumentError(
            f"{source} returned values that are not finite, in {len(bad)} of {n_rows} rows (the first is row "
            f"{bad[0] + 1}). Check their texts, or the precision of the model."
        )
    return features


def as_array(values: Any) -> FloatArray:
    """A tensor on any device, an array, or a sparse matrix as a dense float32 array."""
    if values is None:  # NumPy would take it for a NaN
        raise TypeError("it is empty")
    if hasattr(values, "detach"):  # half precision has no counterpart in NumPy, so that torch converts it
        values = values.detach().cpu().float().numpy()
    elif hasattr(values, "toarray"):
        values = values.toarray()
    return np.ascontiguousarray(values, dtype=np.float32)


def as_tensor(values: FloatArray) -> "torch.Tensor":
    """The same numbers as a tensor, which is what the published `embed` returns."""
    import torch

    return torch.from_numpy(values)


def _encode(model: Any, texts: list[str], *, task: str, options: dict[str, Any]) -> FloatArray:
    parameters = inspect.signature(model.encode).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    if "role" in parameters:  # an encoder of sentflow
        return as_array(model.encode(texts, role="text", task=task, **options))
    if takes_any or "convert_to_tensor" in parameters:
        # a tensor, for a model in bfloat16 cannot give an array
        options = {**options, "convert_to_tensor": True}
    return as_array(model.encode(texts, **options))


def _alternatives(texts_b: Sequence[str]) -> list[list[str]]:
    rows = [text.split(SEPARATOR) for text in texts_b]
    counts = {len(row) for row in rows}
    if len(counts) > 1:
        raise ValueError(f"every row needs the same number of alternatives; found {sorted(counts)}")
    return [list(column) for column in zip(*rows, strict=True)]
