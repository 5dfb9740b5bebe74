"""Neural encoders of texts: prompts, lengths and batches; what a model makes of a batch is said by each kind."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from sentflow.encoders.kind import Encoder
from sentflow.encoders.prompts import prompt_text
from sentflow.encoders.settings import BFLOAT16_AUTOCAST, TEXT, TextSettings
from sentflow.encoders.vectors.storage import (
    DENSE_FORM,
    Batch,
    Form,
    IntArray,
    Reading,
    Vectors,
    named_rows,
)
from sentflow.errors import ConfigError, DataError
from sentflow.texts.segmentation import segmented

# torch has no class of its own for a processor's memory that runs out
_OUT_OF_MEMORY_SAYS = ("not enough memory", "can't allocate memory", "out of memory")


def plan_batches(lengths: IntArray, *, batch_tokens: int, batch_size: int | None = None) -> list[Batch]:
    """Batches by descending length, each as full as the token budget allows; every row once.

    Longest first, so that memory runs out at once or never, and the last batches of several workers end together.
    `lengths`: (n,) tokens of each text, >= 1; equal ones keep their order. `batch_tokens`: rows times longest row of a
    batch; only a longer single text exceeds it. `batch_size`: rows at most; None is no such limit.
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
    """Computes batches; where none is halved, the number of threads changes no bit of a result.

    On a processor one thread computes each batch, and `threads` batches run at a time. On other devices one batch
    follows the other; of several devices each computes every n-th. A batch that the memory does not hold is computed in
    halves: its rows keep their padding, and their vectors may differ in the last bits.

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
        if self._is_processor():
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

    def _is_processor(self) -> bool:
        return bool(self._models[0].device.type == "cpu")

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
                    f"there is not enough memory for one text of {n_tokens} tokens. Lower max_tokens, or use a "
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


logger = logging.getLogger(__name__)

_COUNTED = 4096  # texts at a time: a tokenizer holds much more for a text than its tokens
_MOST_TOKENS = 1 << 40
_CHARACTERS_PER_TOKEN = 4  # where the first module has no tokenizer of transformers; only plans batches


class NeuralEncoder(Encoder):
    """A model on one device or several, see `BatchRunner`.

    `tokenizer`, `prompts`, `default_prompt`: of the model's files; the last is put before texts without a role.
    `limit`: tokens that it reads; None is no limit. `threads`: batches at a time on a processor.
    """

    form: ClassVar[Form] = DENSE_FORM

    def __init__(
        self,
        models: Sequence[Any],
        settings: TextSettings,
        *,
        dimension: int,
        tokenizer: Any,
        limit: int | None,
        threads: int,
        prompts: Mapping[str, str | None] | None = None,
        default_prompt: str | None = None,
    ) -> None:
        self._models, self._settings = models, settings
        self.dimension = dimension
        self.device = models[0].device.type
        self._tokenizer, self._limit = tokenizer, limit
        self._own_prompts, self._default_prompt = prompts or {}, default_prompt
        self._runner = BatchRunner(models, self._autocast, self.form.joined, threads=threads)
        self._segmented: dict[str, str] = {}
        self.reading = None

    @property
    def halved_batches(self) -> int:  # type: ignore[override]
        return self._runner.n_halved

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> Vectors:
        """Role and task choose the prompt."""
        batches = self.plan(texts, role=role, task=task)
        computed = self.encode_batches(texts, batches, role=role, task=task)
        parts = ((batch.rows, vectors) for batch, vectors in zip(batches, computed, strict=True))
        return self.form.placed(len(texts), self.dimension, parts)

    def plan(self, texts: Sequence[str], *, role: str, task: str | None) -> list[Batch]:
        """Batches of texts with like numbers of tokens; see `plan_batches`.

        Raises ConfigError: no prompt has a chosen name. Raises DataError: texts are too long, and none may be cut.
        """
        return plan_batches(
            self._lengths(texts, self._prompt(role, task)),
            batch_tokens=self._settings.batch_tokens,
            batch_size=self._most_texts(),
        )

    def token_counts(self, texts: Sequence[str]) -> IntArray:
        """(n,) tokens of each text as the model reads it, prompt and special tokens included; padding is not."""
        return self._lengths(texts, self._prompt(TEXT, None))

    def encode_batches(
        self, texts: Sequence[str], batches: Iterable[Batch], *, role: str, task: str | None
    ) -> Iterator[Vectors]:
        prompt = self._prompt(role, task)
        return self._runner.run(self._features(texts, batch, prompt, role) for batch in batches)

    def _forward(self, features: dict[str, Any], model: Any) -> Vectors:
        """What a model makes of a batch, in `form`."""
        raise NotImplementedError

    def _features(
        self,
        texts: Sequence[str],
        batch: Batch,
        prompt: str | None,
        role: str,  # noqa: ARG002
    ) -> dict[str, Any]:
        # In the caller's thread: a fast tokenizer is used by one thread at a time, and has threads of its own
        features: dict[str, Any] = self._models[0].preprocess(self._marked(texts, batch), prompt=prompt)
        return features

    def _most_texts(self) -> int | None:
        return self._settings.batch_size

    def _autocast(self, features: dict[str, Any], model: Any) -> Vectors:
        rounded = self._settings.dtype == BFLOAT16_AUTOCAST
        with torch.autocast(model.device.type, dtype=torch.bfloat16, enabled=rounded):
            return self._forward(features, model)

    def _prompt(self, role: str, task: str | None) -> str | None:
        settings = self._settings
        if settings.prompt is not None:
            return settings.prompt
        try:
            return prompt_text(
                settings.prompts,
                settings.prompt_names.as_dict(),
                role=role,
                task=task,
                own=self._own_prompts,
                default_name=self._default_prompt,
            )
        except KeyError as error:
            known = sorted({*settings.prompts, *self._own_prompts})
            raise ConfigError(
                f"prompt_names: neither prompts nor the model has a prompt named {error}. Write one of: "
                f"{', '.join(known)}; or add it under prompts."
            ) from None

    def _lengths(self, texts: Sequence[str], prompt: str | None) -> IntArray:
        """Tokens of each text as the model reads it, at least 1; counts the texts that are cut."""
        if texts and self._settings.segment is not None:
            texts = self._with_words(texts, self._settings.segment)
        if not texts or not isinstance(self._tokenizer, PreTrainedTokenizerBase):
            return np.asarray([1 + len(text) // _CHARACTERS_PER_TOKEN for text in texts], dtype=np.int64)
        prompted = [(prompt or "") + text for text in texts]
        whole = np.concatenate(
            [
                token_counts(self._tokenizer, prompted[start : start + _COUNTED])
                for start in range(0, len(texts), _COUNTED)
            ]
        )
        limit = self._limit
        # some tokenizers write 10³⁰ for "none"
        self.reading = Reading(whole, limit if limit is None or limit <= _MOST_TOKENS else None)
        cut = np.flatnonzero(self.reading.lost)
        if not len(cut):
            return whole
        if self._settings.truncation == "refuse":
            raise DataError(
                f"{len(cut)} of {len(texts)} texts have more than {limit} tokens: "
                f"{named_rows([int(row) for row in cut], texts)}. Shorten them, write a larger max_tokens, or "
                "let them be cut: truncation: end."
            )
        logger.warning(
            "%d of %d texts (%.1f %%) have more than %d tokens; the rest is truncated at the %s",
            *(len(cut), len(texts), 100 * len(cut) / len(texts), limit, self._settings.truncation),
        )
        return whole - self.reading.lost

    def _marked(self, texts: Sequence[str], batch: Batch) -> list[str]:
        """The texts of a batch, with their words where these are marked."""
        own = [texts[row] for row in batch.rows]
        return own if self._settings.segment is None else self._with_words(own, self._settings.segment)

    def _with_words(self, texts: Sequence[str], how: str) -> list[str]:
        """Segmented texts; a plan segments all of a job, which its batches find here."""
        new = [text for text in dict.fromkeys(texts) if text not in self._segmented]
        self._segmented |= zip(new, segmented(new, how), strict=True)
        return [self._segmented[text] for text in texts]


def token_counts(tokenizer: PreTrainedTokenizerBase, *texts: list[str]) -> IntArray:
    """(n,) tokens of n texts, or of n pairs of texts, nothing cut off, at least 1."""
    ids = tokenizer(*texts, truncation=False, return_attention_mask=False, verbose=False)["input_ids"]
    return np.asarray([max(1, len(row)) for row in ids], dtype=np.int64)
