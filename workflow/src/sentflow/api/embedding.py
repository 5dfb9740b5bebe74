"""The published ways from texts to features: of all rows at once, or inside every fold; and their cache.

The published cache believes the name that the caller chose. Here a few rows are embedded again and compared, so that
vectors of another model, prompt, truncation or precision under the same name are found out, as are those of other
texts.
"""

import copy
import inspect
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sentflow.api.arguments import ArgumentError
from sentflow.encoders.arrays import FloatArray, IntArray
from sentflow.encoders.vectors.storage import read_embeddings, text_order_sha256, write_embeddings
from sentflow.errors import DataError
from sentflow.probing.features.rows import pair_features
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.texts.table import SEPARATOR, TaskTable

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


class Embedder(Protocol):
    """An evaluator, as far as its `embed` goes."""

    def embed(self, X_a: list[str], X_b: list[str] | None, task: str, data_split: str, **kwargs: Any) -> Any:  # noqa: N803
        """See `UlyssesSentEval.embed`."""


class TaskRows:
    """The rows of a task and what embeds them."""

    def __init__(self, evaluator: Embedder, table: TaskTable, options: dict[str, Any]) -> None:
        self._evaluator = evaluator
        self._table = table
        self._options = options

    @property
    def keys(self) -> list[str]:
        """Per row one text that says all that is embedded in it."""
        second = self._table.text_b or [""] * len(self._table)
        return [f"{a}\0{b}" for a, b in zip(self._table.text_a, second, strict=True)]

    def embed_now(self, rows: IntArray) -> FloatArray:
        """(k, D) float32 features of some rows, outside of any fold."""
        first, second = self._texts(rows)
        # Places and names of arguments as in the published evaluator: an override may have renamed them
        values = self._evaluator.embed(first, second, self._table.info.task, "all", **self._options)
        return self._checked(values, len(rows), "all")

    def parts(self, plan: FoldPlan) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Features of a fold (see `FeatureSource`), from a copy of the evaluator: no fold learns from another."""
        evaluator = copy.deepcopy(self._evaluator)
        train = self._embed_part(evaluator, plan.train, "train")
        evaluation = self._embed_part(evaluator, plan.evaluation, "eval")
        test = self._embed_part(evaluator, plan.test, "test")
        if len(widths := {part.shape[1] for part in (train, evaluation, test)}) > 1:
            raise ArgumentError(
                f"{self._name('train, eval, test')} returned vectors of different widths: {sorted(widths)}. Fit on the "
                "split 'train' only."
            )
        return train, evaluation, test

    def _embed_part(self, evaluator: Embedder, rows: IntArray, data_split: str) -> FloatArray:
        first, second = self._texts(rows)
        task = self._table.info.task
        values = evaluator.embed(first, second, task=task, data_split=data_split, **self._options)
        return self._checked(values, len(rows), data_split)

    def _checked(self, values: Any, n_rows: int, data_split: str) -> FloatArray:
        return checked_features(values, n_rows=n_rows, source=self._name(data_split))

    def _name(self, data_split: str) -> str:
        return (
            f"{type(self._evaluator).__name__}.embed (task {self._table.info.task}, data_split {data_split})"
        )

    def _texts(self, rows: IntArray) -> tuple[list[str], list[str] | None]:
        second = [self._table.text_b[row] for row in rows] if self._table.text_b else None
        return [self._table.text_a[row] for row in rows], second


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
            f"{array} holds vectors of another model, or of other settings (prompt, truncation, precision, "
            "embed). They are computed again. Give every model its own cache_embed_key."
        )
        return None
    return features


def _difference(fresh: FloatArray, stored: FloatArray) -> float:
    lengths = np.maximum(np.linalg.norm(stored, axis=1), np.finfo(np.float32).tiny)
    return float((np.linalg.norm(fresh - stored, axis=1) / lengths).max())


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=6)  # the line that called evaluate_in_task
