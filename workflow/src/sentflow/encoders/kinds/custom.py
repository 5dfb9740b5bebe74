"""Kind ``custom``: a user's own class, whose results are checked."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.custom_class import EMBED, ENCODE
from sentflow.encoders.kinds.custom_code import CustomCode
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.protocol import FloatArray
from sentflow.encoders.vectors.storage import named_rows, rows_not_finite
from sentflow.errors import DataError

Settings = EncoderSettings

# Two, so that a result for one text cannot pass for the right shape; encoded once to learn the width.
_TRIAL_TEXTS = ("Uma lei.", "A Câmara votou outra lei ontem.")


def load(manifest: Manifest, _settings: EncoderSettings, around: Surroundings) -> "CustomEncoder":
    return CustomEncoder(CustomCode.load(manifest, timeout_seconds=around.timeout_seconds))


def load_fitted(
    manifest: Manifest, *, task: str, timeout_seconds: float | None
) -> "CustomLazyEncoder | CustomFeaturiser":
    code = CustomCode.load(manifest, timeout_seconds=timeout_seconds)
    embeds = manifest.settings["level"] == EMBED
    return CustomFeaturiser(code) if embeds else CustomLazyEncoder(code, task=task)


class CustomEncoder:
    """A user's ``encode`` as an `Encoder`; one object for all texts."""

    def __init__(self, code: CustomCode) -> None:
        self._code = code
        self._instance = code.new()
        # `dimension` is needed before the first text; and a wrong shape is told in the first second.
        self.dimension = encoded(code, self._instance, _TRIAL_TEXTS, role="text", task=None).shape[1]

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:
        """The class is told role and task if it has arguments of these names."""
        vectors = encoded(self._code, self._instance, texts, role=role, task=task)
        _check_width(self._code.where(ENCODE), vectors, self.dimension)
        return vectors


class CustomLazyEncoder:
    """A user's ``fit`` and ``encode`` as a lazy encoder; a new object for every fold, which can remember no other."""

    def __init__(self, code: CustomCode, *, task: str) -> None:
        self._code = code
        self._task = task
        self._instance: Any = None
        self._width: int | None = None

    def fit(self, texts: Sequence[str]) -> "CustomLazyEncoder":
        """Learn from the texts of a training part."""
        self._instance, self._width = self._code.new(), None
        self._code.call(self._instance, "fit", list(texts))
        return self

    def transform(self, texts: Sequence[str]) -> FloatArray:
        """(n, d) float32; d is the same until the next `fit`."""
        vectors = encoded(self._code, self._instance, texts, role="text", task=self._task)
        _check_width(self._code.where(ENCODE), vectors, self._width)
        self._width = vectors.shape[1]
        return vectors


class CustomFeaturiser:
    """A user's ``embed``: rows of a task to features."""

    def __init__(self, code: CustomCode) -> None:
        self._code = code
        self._instance: Any = None
        self._width: int | None = None

    def start(self) -> None:
        """Begin anew: a new object, which can remember nothing of another fold."""
        self._instance, self._width = self._code.new(), None

    def embed(
        self, texts_a: Sequence[str], texts_b: Sequence[str] | None, *, task: str, split: str
    ) -> FloatArray:
        """Features of n rows.

        `texts_b`: n second texts, or alternatives joined by ``" [SEP] "``; None where rows have one text. `split`:
        ``"train"``, ``"eval"``, ``"test"``; or ``"all"`` for a featuriser that is not lazy. Returns: (n, d) float32,
        all finite; d is the same until the next `start`.
        """
        where = self._code.where(EMBED)
        second = None if texts_b is None else list(texts_b)
        value = self._code.call(self._instance, EMBED, list(texts_a), second, task, split)
        features = as_vectors(value, texts_a, where=f"{where} (split {split!r})")
        _check_width(where, features, self._width)
        self._width = features.shape[1]
        return features


def encoded(
    code: CustomCode, instance: Any, texts: Sequence[str], *, role: str, task: str | None
) -> FloatArray:
    """What a user's ``encode`` gives for texts: (n, d) float32, all finite."""
    keywords = accepted(getattr(instance, ENCODE), {"role": role, "task": task})
    return as_vectors(code.call(instance, ENCODE, list(texts), **keywords), texts, where=code.where(ENCODE))


def accepted(method: Any, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Those keywords that a function takes by name; ``**kwargs`` takes all."""
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):  # written in C, without a signature
        return {}
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return dict(keywords)
    by_name = {
        parameter.name
        for parameter in parameters
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    }
    return {key: value for key, value in keywords.items() if key in by_name}


def as_vectors(value: Any, texts: Sequence[str], *, where: str) -> FloatArray:
    """What a user's method returned, as an array.

    `value`: array of any number type, list of lists, torch tensor on any device, or SciPy sparse matrix. `texts`: n
    texts, in the order of the rows. Returns: (n, d) float32, contiguous, all finite, d >= 1.
    """
    array = _array(value, where)
    expected = f"expected ({len(texts)}, d): one row of d numbers per text, in the order of the texts"
    if array.dtype.kind not in "fiub":
        kind = type(value).__name__ if array.ndim == 0 else f"{type(value).__name__} of {array.dtype}"
        raise DataError(f"{where} returned {kind} for {len(texts)} texts, {expected}.")
    if array.ndim != 2 or len(array) != len(texts) or array.shape[1] == 0:
        raise DataError(f"{where} returned {array.dtype} {array.shape} for {len(texts)} texts, {expected}.")
    with np.errstate(over="ignore"):  # a float64 beyond float32 becomes infinite and is told as such
        vectors = np.ascontiguousarray(array, dtype=np.float32)
    if rows := rows_not_finite(vectors):
        raise DataError(
            f"{where} returned values that are not finite numbers of float32 for {len(rows)} of {len(texts)} texts: "
            f"{named_rows(rows, texts)}."
        )
    return vectors


def _array(value: Any, where: str) -> np.ndarray:
    if hasattr(value, "detach"):  # torch; bfloat16 has no NumPy type, and float64 is rounded anyway
        value = value.detach().cpu().float().numpy()
    elif hasattr(value, "toarray"):  # SciPy sparse
        value = value.toarray()
    try:
        return np.asarray(value)
    except Exception as error:
        raise DataError(
            f"{where} returned {type(value).__name__}, which makes no array ({error}). Return one row of numbers per "
            "text, all of the same length."
        ) from error


def _check_width(where: str, vectors: FloatArray, expected: int | None) -> None:
    if expected is not None and vectors.shape[1] != expected:
        raise DataError(
            f"{where} returned vectors of {vectors.shape[1]} values, but of {expected} before. The width must not "
            "depend on the texts."
        )
