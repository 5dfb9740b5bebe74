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
from typing import TYPE_CHECKING, Any

import numpy as np

from sentflow.api.arguments import ArgumentError
from sentflow.encoders.protocol import FloatArray, IntArray
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
    """Features of n rows, see `features_of_columns`, from a model's `encode`, which gets every distinct text once."""
    columns = text_columns(texts_a, texts_b, alternatives=alternatives)
    distinct = list(dict.fromkeys(text for column in columns for text in column))
    vectors = _encode(model, distinct, task=task, options=options)
    row_of = {text: row for row, text in enumerate(distinct)}
    return features_of_columns(
        columns, lambda column: vectors[[row_of[text] for text in column]], alternatives=alternatives
    )


def text_columns(
    texts_a: Sequence[str], texts_b: Sequence[str] | None, *, alternatives: bool
) -> list[list[str]]:
    """The texts that are embedded side by side: text a; text b, or with `alternatives` the first, the second, …"""
    if texts_b is None:
        return [list(texts_a)]
    if not alternatives:
        return [list(texts_a), list(texts_b)]
    rows = [text.split(SEPARATOR) for text in texts_b]
    counts = {len(row) for row in rows}
    if len(counts) > 1:
        raise ValueError(f"every row needs the same number of alternatives; found {sorted(counts)}")
    return [list(texts_a), *(list(column) for column in zip(*rows, strict=True))]


def features_of_columns(
    columns: Sequence[list[str]], vectors_of: Callable[[list[str]], Any], *, alternatives: bool
) -> FloatArray:
    """(n, D) vectors of each of the `text_columns` → the published layout, float32.

    That is (n, D), (n, 4 D) for pairs, or (n, (1 + k) D) for k alternatives.
    """
    vectors = [as_array(vectors_of(column)) for column in columns]
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


class TaskRows:
    """The rows of a task and what embeds them: an evaluator with `embed`, see `UlyssesSentEval.embed`."""

    def __init__(self, evaluator: Any, table: TaskTable, options: dict[str, Any]) -> None:
        self._evaluator, self._table, self._options = evaluator, table, options

    @property
    def keys(self) -> list[str]:
        """Per row one text that says all that is embedded in it."""
        second = self._table.text_b or [""] * len(self._table)
        return [f"{a}\0{b}" for a, b in zip(self._table.text_a, second, strict=True)]

    def embed_now(self, rows: IntArray) -> FloatArray:
        """(k, D) float32 features of some rows, outside of any fold."""
        return self._embed(self._evaluator, rows, "all")

    def parts(self, plan: FoldPlan) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Features of a fold (see `FeatureSource`), from a copy of the evaluator: no fold learns from another."""
        evaluator = copy.deepcopy(self._evaluator)
        train = self._embed(evaluator, plan.train, "train")
        evaluation = self._embed(evaluator, plan.evaluation, "eval")
        test = self._embed(evaluator, plan.test, "test")
        if len(widths := {part.shape[1] for part in (train, evaluation, test)}) > 1:
            raise ArgumentError(
                f"{self._name('train, eval, test')} returned vectors of different widths: {sorted(widths)}. Fit on the "
                "split 'train' only."
            )
        return train, evaluation, test

    def _embed(self, evaluator: Any, rows: IntArray, split: str) -> FloatArray:
        first = [self._table.text_a[row] for row in rows]
        second = [self._table.text_b[row] for row in rows] if self._table.text_b else None
        # An override may have renamed the first two; the others are named as in the published evaluator
        task = self._table.info.task
        if split == "all":
            values = evaluator.embed(first, second, task, split, **self._options)
        else:
            values = evaluator.embed(first, second, task=task, data_split=split, **self._options)
        return checked_features(values, n_rows=len(rows), source=self._name(split))

    def _name(self, split: str) -> str:
        return f"{type(self._evaluator).__name__}.embed (task {self._table.info.task}, data_split {split})"


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
    """(n, D) float32 features of a task's rows, from the folder if they are there and right, else made and saved."""
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
