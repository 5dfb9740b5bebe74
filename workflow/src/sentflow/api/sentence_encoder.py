"""A caller's function from sentences to vectors: for one sentence, as the published tool has it, or for a list."""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from sentflow.api.arguments import ArgumentError
from sentflow.api.embedding import as_array, checked_features
from sentflow.encoders.arrays import FloatArray

# Neighbours in a batch and half precision move vectors by less than this share of their length
_SAME = 0.02


class SentenceEncoder:
    """Vectors of sentences from a function of either kind.

    Parameters
    ----------
    encode_fn
        A function of one string that returns a vector, or of a list of strings that returns one vector per string; or
        an object with such an ``encode``, e.g. a SentenceTransformer.
    batch_size
        Strings per call of a function of lists.

    Raises
    ------
    ArgumentError
        It cannot be called.

    Notes
    -----
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

        Raises
        ------
        ArgumentError
            The function fails on a string and on a list, or returns something else than finite vectors of one width.
        """
        if self._takes_lists(texts[0], texts[1]):
            parts = [
                self._checked(self._encode(chunk), len(chunk))
                for start in range(0, len(texts), self._batch_size)
                if (chunk := list(texts[start : start + self._batch_size]))
            ]
        else:
            parts = [self._checked(_row(self._encode(text)), 1) for text in texts]
        if len(widths := {part.shape[1] for part in parts}) > 1:
            raise ArgumentError(
                f"encode_fn returned vectors of different widths: {sorted(widths)}. Return vectors of "
                "one width."
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


def _row(values: Any) -> FloatArray:
    """(1, d) of what a function returned for one string."""
    return as_array(values).reshape(1, -1)


def encoder_name(encode: Any) -> str:
    """What an encoder is called in tables and figures: the name of a function, else that of the class."""
    owner = encode.__self__ if inspect.ismethod(encode) else encode
    return str(getattr(owner, "__name__", type(owner).__name__))
