"""Batches of texts on processors and devices: planned by tokens, computed side by side, in halves where memory ends."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from sentflow.encoders.arrays import Batch, IntArray
from sentflow.errors import DataError

logger = logging.getLogger(__name__)

# torch has no class of its own for a processor's memory that runs out
_OUT_OF_MEMORY_SAYS = ("not enough memory", "can't allocate memory", "out of memory")


def plan_batches(lengths: IntArray, *, batch_tokens: int, batch_size: int | None = None) -> list[Batch]:
    """Batches by descending length, each as full as the token budget allows.

    Longest first, so that memory runs out at once or never, and the last batches of several workers end
    together.

    `lengths`: (n,) tokens of each text, each >= 1. `batch_tokens`: rows times longest row of a batch; only a longer
    single text exceeds it. `batch_size`: rows of a batch at most; None is no such limit. Returns every row once. Texts
    of equal length keep their order.
    """
    order = np.argsort(-lengths, kind="stable")
    batches = []
    start = 0
    while start < len(order):
        longest = int(lengths[order[start]])
        n_rows = max(1, batch_tokens // longest)
        rows = order[start : start + min(n_rows, batch_size or n_rows)]
        batches.append(Batch(rows=rows, cost=longest * len(rows)))
        start += len(rows)
    return batches


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on a device or on the processor."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return any(words in str(error).lower() for words in _OUT_OF_MEMORY_SAYS)


class BatchRunner:
    """Computes batches, one by one or several at a time; the number of threads changes no bit of a result.

    On a processor every batch is computed by one thread, and `threads` batches at a time: sums are then taken in the
    same order whatever the number of threads, and short batches waste no time on dividing work. On other devices one
    batch follows the other; of several devices each computes every n-th batch.

    A batch that the memory does not hold, perhaps beside those of other threads, is computed in halves. Its rows keep
    their padding; their vectors may differ in the last bits from those of the whole batch.

    `models`: the same one on each device. `forward`: features of a batch, tensors with one row per text, and a model →
    results. `joined`: results of halves → those of the whole. `n_halved`: batches that were halved.
    """

    def __init__(
        self,
        models: Sequence[Any],
        forward: Callable[[dict[str, Any], Any], Any],
        joined: Callable[[Sequence[Any]], Any] = np.concatenate,
        *,
        threads: int,
    ) -> None:
        self._models, self._forward, self._joined = models, forward, joined
        self._threads = threads
        self._too_many: float = np.inf
        self.n_halved = 0

    def run(self, features: Iterable[dict[str, Any]]) -> Iterator[Any]:
        """The results of batches, in their order."""
        if self._models[0].device.type == "cpu":
            threads_before = torch.get_num_threads()
            # torch keeps the number of threads of an operation per calling thread, hence the initializer
            pool = ThreadPoolExecutor(self._threads, initializer=torch.set_num_threads, initargs=(1,))
            try:
                yield from self._in_turn(features, [pool], 2 * self._threads)
            finally:
                torch.set_num_threads(threads_before)
        elif len(self._models) > 1:
            # A queue for each device: all are alike, so taking turns keeps them all busy
            pools = [ThreadPoolExecutor(1) for _ in self._models]
            yield from self._in_turn(features, pools, 2 * len(pools))
        else:
            for batch in features:
                yield self.compute(batch, self._models[0])

    def _in_turn(
        self, features: Iterable[dict[str, Any]], pools: Sequence[ThreadPoolExecutor], most_waiting: int
    ) -> Iterator[Any]:
        pending: deque[Future[Any]] = deque()
        try:
            for index, batch in enumerate(features):
                turn = index % len(pools)
                pending.append(pools[turn].submit(self.compute, batch, self._models[turn]))
                if len(pending) > most_waiting:  # enough to keep all busy
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for pool in pools:
                pool.shutdown(cancel_futures=True)

    def compute(self, features: dict[str, Any], model: Any) -> Any:
        """The results of a batch. Raises DataError: the memory does not hold one text, or the model lacks a vector."""
        n_rows, n_tokens = _size(features)
        if n_rows == 1 or n_rows * n_tokens < self._too_many:
            found = self._unless_too_large(features, model)
            if found is not None:
                return found
            if n_rows == 1:
                raise DataError(
                    f"the memory does not hold one text of {n_tokens} tokens. Cut texts with max_tokens, or use a "
                    "device with more memory."
                )
            self._too_many = min(self._too_many, n_rows * n_tokens)
            logger.warning(
                "a batch of %d texts with %d tokens each does not fit into the memory: halved, as all of its size will "
                "be. A smaller batch_tokens saves the attempts",
                *(n_rows, n_tokens),
            )
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
        self.n_halved += 1
        halves = (slice(0, n_rows // 2), slice(n_rows // 2, n_rows))
        return self._joined([self.compute(_rows(features, half, n_rows), model) for half in halves])

    def _unless_too_large(self, features: dict[str, Any], model: Any) -> Any:
        """Results of a batch; None where the memory does not hold it."""
        try:
            with torch.inference_mode():
                return self._forward(features, model)
        except IndexError as error:
            raise DataError(
                f"the tokenizer gives a token, or a text has a place, for which the model has no vector ({error}). "
                "Take the files of the model as their authors published them, all of one version; or write a smaller "
                "max_tokens."
            ) from error
        except (RuntimeError, MemoryError) as error:  # torch.OutOfMemoryError is a RuntimeError
            if not is_out_of_memory(error):
                raise
        # What comes next is outside that block: while an error is handled, its traceback keeps the tensors of the batch
        return None


def on_device(features: dict[str, Any], device: torch.device) -> dict[str, Any]:
    """The features of a batch with their tensors on a device."""
    return {
        key: value.to(device) if isinstance(value, torch.Tensor) else value for key, value in features.items()
    }


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
