"""Batches that are too large for the memory: computed in halves instead of lost."""

import logging
from collections.abc import Callable, Sequence
from threading import Condition, Lock
from typing import Any

import numpy as np
import torch

from sentflow.encoders.protocol import FloatArray
from sentflow.errors import DataError

logger = logging.getLogger(__name__)

# torch has no class of its own for a processor's memory that runs out
_OUT_OF_MEMORY_SAYS = ("not enough memory", "can't allocate memory", "out of memory")


class BatchHalver:
    """Computes a batch in halves where the memory does not hold it, and remembers how much it did not hold.

    The rows of a halved batch keep their padding; their vectors may differ in the last bits from those of the whole
    batch, so that an array with halved batches need not be the same bytes on a machine with more memory. A batch that
    fails beside those of other threads is tried again alone, so that their number does not decide which are halved.

    `forward`: features of a batch, tensors with one row per text, → (k, d) float32 vectors.
    """

    def __init__(
        self,
        forward: Callable[[dict[str, Any], Any], FloatArray],
        joined: Callable[[Sequence[FloatArray]], FloatArray] = np.concatenate,
    ) -> None:
        self._forward, self._joined = forward, joined
        self._entry, self._ended = Lock(), Condition()
        self._n_running = 0
        self._in_threads = False
        self._too_many: float = np.inf
        self.n_halved = 0

    def __call__(self, features: dict[str, Any], model: Any) -> FloatArray:
        """Vectors of a batch; DataError where the memory does not hold a single text."""
        n_rows, n_tokens = _size(features)
        if n_rows > 1 and n_rows * n_tokens >= self._too_many:
            return self._in_halves(features, model)
        found = self._beside_others(features, model)
        if found is None and self._in_threads:
            found = self._alone(features, model)
        if found is not None:
            return found
        if n_rows == 1:
            raise DataError(
                f"the memory does not hold one text of {n_tokens} tokens. Cut texts with max_tokens, or use a device "
                "with more memory."
            )
        self._too_many = min(self._too_many, n_rows * n_tokens)
        logger.warning(
            "a batch of %d texts with %d tokens each does not fit into the memory: halved, as all of its size will be. "
            "A smaller batch_tokens saves the attempts",
            *(n_rows, n_tokens),
        )
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return self._in_halves(features, model)

    def _beside_others(self, features: dict[str, Any], model: Any) -> FloatArray | None:
        with self._entry, self._ended:
            self._n_running += 1
            self._in_threads |= self._n_running > 1
        try:
            return self._unless_too_large(features, model)
        finally:
            with self._ended:
                self._n_running -= 1
                self._ended.notify_all()

    def _alone(self, features: dict[str, Any], model: Any) -> FloatArray | None:
        with self._entry, self._ended:  # nobody begins, and all who began have ended
            self._ended.wait_for(lambda: not self._n_running)
            return self._unless_too_large(features, model)

    def _unless_too_large(self, features: dict[str, Any], model: Any) -> FloatArray | None:
        """Vectors of a batch; None where the memory does not hold it."""
        try:
            return self._forward(features, model)
        except (RuntimeError, MemoryError) as error:  # torch.OutOfMemoryError is a RuntimeError
            if not is_out_of_memory(error):
                raise
        # What comes next is outside that block: while an error is handled, its traceback keeps the tensors of the batch
        return None

    def _in_halves(self, features: dict[str, Any], model: Any) -> FloatArray:
        n_rows, _ = _size(features)
        self.n_halved += 1
        middle = n_rows // 2
        return self._joined(
            [
                self(_rows(features, slice(0, middle), n_rows), model),
                self(_rows(features, slice(middle, n_rows), n_rows), model),
            ]
        )


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on a device or on the processor."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return any(words in str(error).lower() for words in _OUT_OF_MEMORY_SAYS)


def _size(features: dict[str, Any]) -> tuple[int, int]:
    """Rows of a batch, and tokens of each with its padding."""
    tensors = [value for value in features.values() if isinstance(value, torch.Tensor)]
    if not tensors:
        return 1, 1
    return len(tensors[0]), max(tensor.shape[1] if tensor.ndim > 1 else 1 for tensor in tensors)


def _rows(features: dict[str, Any], rows: slice, n_rows: int) -> dict[str, Any]:
    return {
        key: value[rows] if isinstance(value, torch.Tensor | list) and len(value) == n_rows else value
        for key, value in features.items()
    }
