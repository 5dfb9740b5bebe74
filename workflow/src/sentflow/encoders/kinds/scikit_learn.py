"""Kind ``scikit-learn``: vectorisers and pipelines by their dotted names, fitted inside each fold."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline, make_pipeline

from sentflow.config.model import refuse_wrong
from sentflow.encoders.kind import Context, Encoder, kind
from sentflow.encoders.kinds.tfidf import PORTUGUESE
from sentflow.encoders.manifest import Description, Manifest
from sentflow.encoders.settings import ScikitLearn
from sentflow.encoders.vectors.storage import FloatArray
from sentflow.errors import ConfigError, DataError

# Dense vectors of one call. A probe needs several times as much, for features of pairs and their copies.
_MOST_BYTES = 1 << 30
# Sparse vectors: a probe keeps up to a kilobyte per column, the weights of twelve settings on four blocks of a pair.
_MOST_COLUMNS = 1 << 18


def describe(entry: Mapping[str, Any], _folder: Path) -> Description:
    """What cannot be built is reported before any fold."""
    settings = {key: value for key, value in entry.items() if key != "kind"}
    ScikitLearnEncoder.of_settings(settings)
    return Description(None, settings=settings)


@kind("scikit-learn")
class ScikitLearnEncoder(Encoder):
    """An unfitted estimator that is copied and fitted anew on the training texts of every fold."""

    def __init__(self, estimator: BaseEstimator) -> None:
        self._estimator = estimator
        self._fitted: Any = None

    @classmethod
    def load(cls, manifest: Manifest, _settings: Any, _context: Context) -> Self:
        return cls.of_settings(manifest.settings)

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Build the estimator that an entry describes by ``class`` and ``arguments``, or by ``pipeline``.

        Raises ConfigError: a class or an argument is not in the list or has a wrong value, the first step does not read
        texts, or something depends on chance without a seed.
        """
        refuse_wrong(ScikitLearn, {"kind": "scikit-learn", **settings}, where="scikit-learn")
        steps = [_built(step) for step in settings.get("pipeline", [settings])]
        return cls(steps[0] if len(steps) == 1 else make_pipeline(*steps))

    def fit(self, texts: Sequence[str]) -> Self:
        """Forget everything and learn from n >= 1 training texts."""
        self._fitted = self._called(clone(self._estimator).fit, texts, "be fitted on")
        return self

    def transform(self, texts: Sequence[str]) -> FloatArray | csr_array:
        """(n, d) float32 of n texts, all finite, sparse if the estimator makes them so. ValueError: not fitted."""
        if self._fitted is None:
            raise ValueError("fit the encoder before transforming texts")
        result = self._called(self._fitted.transform, texts, "transform")
        return _vectors(result, name=_name(self._estimator))

    def _called(self, method: Callable[[list[str]], Any], texts: Sequence[str], what: str) -> Any:
        try:
            return method(list(texts))
        except (ValueError, TypeError, re.error) as error:
            raise DataError(f"{_name(self._estimator)} cannot {what} {len(texts)} texts: {error}") from error


def _built(step: Mapping[str, Any]) -> BaseEstimator:
    name = step["class"]
    module, _, class_name = name.rpartition(".")
    kind = getattr(import_module(module), class_name)  # of the list that its model checks
    parameters = inspect.signature(kind).parameters
    values = {key: _value(value, parameters[key]) for key, value in step.get("arguments", {}).items()}
    try:
        estimator: BaseEstimator = kind(**values)
        estimator._validate_params()  # else first told in the first fold
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{name}: {error}") from error
    return estimator


def _value(value: Any, parameter: inspect.Parameter) -> Any:
    """A value of YAML as the estimator wants it: lists as tuples where the default is one."""
    if parameter.name == "stop_words" and value == "portuguese":
        return list(PORTUGUESE)
    if isinstance(value, list) and isinstance(parameter.default, tuple):
        return tuple(value)
    return value


def _name(estimator: Any) -> str:
    if isinstance(estimator, Pipeline):
        return " → ".join(type(step).__name__ for _, step in estimator.steps)
    return type(estimator).__name__


def _vectors(result: Any, *, name: str) -> FloatArray | csr_array:
    sparse, (n_texts, n_columns) = issparse(result), result.shape
    n_bytes, size = n_texts * n_columns * 4, ""
    if sparse and n_columns > _MOST_COLUMNS:
        size = f"more than a probe can weigh ({_MOST_COLUMNS})"
    elif not sparse and n_bytes > _MOST_BYTES:
        size = f"{n_bytes / 1e9:.1f} GB for {n_texts} texts"
    if size:
        raise DataError(
            f"{name} makes {n_columns} columns: {size}. Write fewer in its arguments (n_features of HashingVectorizer, "
            "max_features of the others), or add a step that reduces them, sklearn.decomposition.TruncatedSVD."
        )
    vectors = csr_array(result, dtype=np.float32) if sparse else np.asarray(result, dtype=np.float32)
    if not np.isfinite(vectors.data if sparse else vectors).all():
        raise DataError(f"{name} makes values that are not finite. Change its arguments or its steps.")
    return vectors
