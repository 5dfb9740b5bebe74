"""From a caller's model to features of rows: of all at once, or inside every fold; and their cache.

The published cache believes the name that the caller chose. Here a few rows are embedded again and compared, so that
vectors of another model, prompt, truncation or precision under the same name are found out, as are those of other
texts.
"""

import copy
import inspect
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sentflow.api.arguments import ArgumentError
from sentflow.config.load import catalog_with
from sentflow.config.problems.encoders import custom_problems
from sentflow.encoders.custom_class import EMBED
from sentflow.encoders.fetch import fetch_model
from sentflow.encoders.kinds.custom import CustomCode, CustomEncoder, CustomFeaturiser, CustomLazyEncoder
from sentflow.encoders.manifest import is_archived, model_folder, unpacked_folder
from sentflow.encoders.settings import CUSTOM
from sentflow.encoders.vectors.storage import (
    FloatArray,
    IntArray,
    read_embeddings,
    text_order_sha256,
    write_embeddings,
)
from sentflow.errors import DataError
from sentflow.flow.environment import workflow_folder
from sentflow.probing.draws import FoldPlan
from sentflow.probing.rows import ALL, pair_features
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
            f"{source} returned the shape {features.shape} for {n_rows} rows. Return one vector per row: ({n_rows}, D)."
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
    stored = features[sample]
    lengths = np.maximum(np.linalg.norm(stored, axis=1), np.finfo(np.float32).tiny)
    if fresh.shape != stored.shape or (np.linalg.norm(fresh - stored, axis=1) / lengths).max() > TOLERANCE:
        _warn(
            f"{array} holds vectors of another model, or of other settings (prompt, truncation, precision, "
            "embed). They are computed again. Give every model its own cache_embed_key."
        )
        return None
    return features


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=6)  # the line that called evaluate_in_task


# --- functions of sentences ---------------------------------------------------------------------------------

# Neighbours in a batch and half precision move vectors by less than this share of their length
_SAME = 0.02


class SentenceEncoder:
    """Vectors of sentences from a function of either kind.

    `encode_fn`: a function of one string that returns a vector, or of a list of strings that returns one vector per
    string; or an object with such an ``encode``, e.g. a SentenceTransformer. `batch_size`: strings per call of a
    function of lists. Raises ArgumentError: it cannot be called.

    Which kind it is, is found out on the first two sentences: the function is called with the first alone, then with a
    list of both. It is taken for one of lists if it returns two vectors whose first is that of the first sentence
    alone (or if it does not take one string); otherwise for one of strings, which is always right and only slower.
    """

    def __init__(self, encode_fn: Any, *, batch_size: int = 64) -> None:
        found = encode_fn if callable(encode_fn) and not hasattr(encode_fn, "encode") else None
        found = found or getattr(encode_fn, "encode", None)
        if not callable(found):
            raise ArgumentError(
                f"encode_fn is a {type(encode_fn).__name__}. Give a function from a string to its vector, "
                "one from a list of strings to their vectors, or a model with encode."
            )
        if batch_size < 1:
            raise ArgumentError(f"batch_size is {batch_size}. Write a whole number of at least 1.")
        self._encode = found
        self._batch_size = batch_size

    def vectors(self, texts: Sequence[str]) -> FloatArray:
        """(n, d) float32 vectors of n >= 2 distinct texts.

        Raises ArgumentError: the function fails on a string and on a list, or returns something else than finite
        vectors of one width.
        """
        if self._takes_lists(texts[0], texts[1]):
            parts = [
                self._checked(self._encode(chunk), len(chunk))
                for start in range(0, len(texts), self._batch_size)
                if (chunk := list(texts[start : start + self._batch_size]))
            ]
        else:
            parts = [self._checked(as_array(self._encode(text)).reshape(1, -1), 1) for text in texts]
        if len(widths := {part.shape[1] for part in parts}) > 1:
            raise ArgumentError(
                f"encode_fn returned vectors of different widths: {sorted(widths)}. Return vectors of one width."
            )
        return np.concatenate(parts)

    def _takes_lists(self, first: str, second: str) -> bool:
        alone, of_string = self._tried(first)
        both, of_list = self._tried([first, second])
        is_vector = alone is not None and (alone.ndim == 1 or (alone.ndim == 2 and len(alone) == 1))
        are_vectors = both is not None and both.ndim == 2 and len(both) == 2
        if not is_vector and not are_vectors:
            raise ArgumentError(
                f"encode_fn gives neither a vector for a string ({of_string}) nor two vectors for a list of "
                f"two ({of_list}). Return a 1-D array for a string, or a 2-D array for a list of strings."
            )
        if not is_vector or not are_vectors:
            return are_vectors
        assert alone is not None
        assert both is not None
        row = alone.reshape(-1)
        if row.shape != both[0].shape:
            return False
        return bool(np.linalg.norm(both[0] - row) <= _SAME * np.linalg.norm(row))

    def _tried(self, argument: str | list[str]) -> tuple[FloatArray | None, str]:
        """What the function makes of it, or None; and a word on it for a message."""
        try:
            values = self._encode(argument)
            if np.ndim(values) == 0:
                return None, f"one number, {values!r}"
            found = as_array(values)
        # A stranger's function may fail in any way on what it was not made for
        except Exception as error:  # noqa: BLE001
            return None, f"{type(error).__name__}: {error}"
        return found, f"the shape {found.shape}"

    def _checked(self, values: Any, n: int) -> FloatArray:
        return checked_features(values, n_rows=n, source="encode_fn")


def encoder_name(encode: Any) -> str:
    """What an encoder is called in tables and figures: the name of a function, else that of the class."""
    owner = encode.__self__ if inspect.ismethod(encode) else encode
    return str(getattr(owner, "__name__", type(owner).__name__))


# --- classes of a user's own file ---------------------------------------------------------------------------


def is_reference(model: Any) -> bool:
    """Whether a model is given as the class of a file."""
    return isinstance(model, str) and ".py:" in model


def named_model(name: str | Path, folder: Path, mirrors: Sequence[str]) -> Any:
    """A model of sentence-transformers by its folder, its name in the catalog, or ``owner/name@commit`` of the hub.

    `folder`: where what is fetched is kept. No code of a model is run, and pickled weights are refused.
    """
    from sentence_transformers import SentenceTransformer

    repository, _, revision = str(name).partition("@")
    entry = catalog_with({}, workflow_folder(), "models")["models"].get(str(name), {})
    if Path(name).expanduser().is_dir():
        source = {"folder": str(Path(name).expanduser())}
    elif "/" in repository and revision:
        source = {"hub": repository, "revision": revision}
    elif entry.get("kind") == "sentence-transformers":
        source = entry["source"]
    else:
        raise ArgumentError(
            f"sentence_model={str(name)!r} is no folder, and no encoder of kind sentence-transformers in the catalog. "
            "Of the Hugging Face hub write owner/name@commit; of a class of yours, path/to/file.py:ClassName."
        )
    place = folder / re.sub(r"[^\w.-]+", "-", str(name)).strip("-")
    request = {"kind": "sentence-transformers", "source": source}
    manifest = fetch_model(str(name), request, place, mirrors=mirrors)
    weights = unpacked_folder(manifest.files, place) if is_archived(source) else model_folder(source)
    return SentenceTransformer(str(weights), trust_remote_code=False, local_files_only=True)


class OwnEncoder:
    """Features by a user's class, with ``encode`` or ``embed``, lazy or not; see docs/own-encoder.md."""

    def __init__(self, reference: str, arguments: Mapping[str, Any]) -> None:
        entry = {"kind": CUSTOM, "custom": reference, "arguments": dict(arguments)}
        if problems := custom_problems("own", entry):
            told = [problem.removeprefix("models.own.").removeprefix("custom: ") for problem in problems]
            raise ArgumentError(f"sentence_model={reference!r}: {' '.join(told)}")
        manifest = fetch_model("own", entry, Path())
        self.lazy: bool = manifest.settings["lazy"]  # whether it learns from the training part of each fold
        self._code = CustomCode.load(manifest, offline=False)
        self._embeds = manifest.settings["level"] == EMBED
        self._featuriser = CustomFeaturiser(self._code)
        self._encoder = None if self._embeds or self.lazy else CustomEncoder(self._code)
        self._fitted: CustomLazyEncoder | None = None

    def features(
        self, texts_a: list[str], texts_b: list[str] | None, *, task: str, data_split: str, alternatives: bool
    ) -> FloatArray:
        """(n, D) float32 features of n rows, as in the pipeline."""
        if self.lazy == (data_split == ALL):
            wanted = "'train', then 'eval' and 'test'" if self.lazy else "'all'"
            raise ArgumentError(
                f"data_split is {data_split!r}, but {self._code.name} is {'' if self.lazy else 'not '}lazy. "
                f"Call embed for data_split={wanted}."
            )
        begins = data_split in (ALL, "train")
        if self._embeds:
            if begins:
                self._featuriser.start()
            return self._featuriser.embed(texts_a, texts_b, task=task, split=data_split)
        if self._encoder is not None:
            return encode_rows(
                self._encoder, texts_a, texts_b, alternatives=alternatives, task=task, options={}
            )
        columns = text_columns(texts_a, texts_b, alternatives=alternatives)
        if begins:
            self._fitted = CustomLazyEncoder(self._code, task=task)
            self._fitted.fit([text for column in columns for text in column])
        if self._fitted is None:
            raise ArgumentError(
                f"{self._code.name} has not been fitted yet. Call embed for data_split='train'."
            )
        return features_of_columns(columns, self._fitted.transform, alternatives=alternatives)
