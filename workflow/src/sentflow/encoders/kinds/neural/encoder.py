"""Models of sentence-transformers, run so that the number of threads changes no bit of the result."""

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from transformers import PreTrainedTokenizerBase

from sentflow.encoders.kinds.neural.settings import BFLOAT16_AUTOCAST, ONNX_INT8, Settings
from sentflow.encoders.prompts import prompt_text
from sentflow.encoders.protocol import Batch, FloatArray, IntArray, Reading
from sentflow.encoders.roles import TEXT
from sentflow.encoders.vectors.batches import plan_batches
from sentflow.encoders.vectors.memory import BatchHalver
from sentflow.encoders.vectors.storage import named_rows
from sentflow.errors import ConfigError, DataError
from sentflow.texts.segmentation import segmented

logger = logging.getLogger(__name__)

_COUNTED = 4096  # texts at a time: a tokenizer holds much more for a text than its tokens
_MOST_TOKENS = 1 << 40
_CHARACTERS_PER_TOKEN = 4  # where the first module has no tokenizer of transformers; only plans batches


class SentenceTransformerEncoder:
    """A `SentenceTransformer` with all of its modules.

    On a processor every batch is computed by one thread, and `threads` batches at a time: sums are then taken
    in the same order whatever the number of threads, and short batches waste no time on dividing work. On
    other devices one batch follows the other; of several devices each computes every n-th batch.

    Parameters
    ----------
    model
        In evaluation mode, on its device.
    settings
        How texts are encoded.
    threads
        Batches at a time on a processor, >= 1.
    role, task
        Of the texts that `plan` and `encode_batches` are given; `encode` is told.
    copies
        The same model on further devices.

    Attributes
    ----------
    dimension
        Width of the vectors.
    device
        Kind of the device.
    reading
        What is read of the texts of the last `plan`; None where no tokenizer of transformers tells.
    halved_batches
        How many batches the memory did not hold, which were computed in halves.

    Raises
    ------
    ConfigError
        There is no prompt of a chosen name, or fewer values in a vector than are to be kept.
    """

    def __init__(
        self,
        model: SentenceTransformer,
        settings: Settings,
        *,
        threads: int,
        role: str = TEXT,
        task: str | None = None,
        copies: Sequence[SentenceTransformer] = (),
    ) -> None:
        self._model = model
        self._models = (model, *copies)
        self._settings = settings
        self._threads = threads
        self.device = model.device.type
        self.dimension = _kept_values(int(model.get_embedding_dimension()), settings.truncate_dim)
        self.reading: Reading | None = None
        self._halver = BatchHalver(self._forward_whole, self._joined)
        self._prompt = self._prompt_of(role, task)
        self._segmented: dict[str, str] = {}

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:
        """Role and task choose the prompt."""
        prompt = self._prompt_of(role, task)
        embeddings = np.empty((len(texts), self.dimension), dtype=np.float32)
        batches = self._plan(texts, prompt)
        for batch, vectors in zip(batches, self._encode_batches(texts, batches, prompt), strict=True):
            embeddings[batch.rows] = vectors
        return embeddings

    def plan(self, texts: Sequence[str]) -> list[Batch]:
        """Batches of texts with like numbers of tokens; see `plan_batches`.

        Raises DataError: a text is too long, and the settings say that none may be cut; names the rows.
        """
        return self._plan(texts, self._prompt)

    def token_counts(self, texts: Sequence[str]) -> IntArray:
        """(n,) tokens of each text as the model reads it, prompt and special tokens included; padding is not."""
        return self._lengths(texts, self._prompt)

    def encode_batches(self, texts: Sequence[str], batches: Iterable[Batch]) -> Iterator[FloatArray]:
        return self._encode_batches(texts, batches, self._prompt)

    def _plan(self, texts: Sequence[str], prompt: str | None) -> list[Batch]:
        # The range of whole activations decides how int8 rounds: one text at a time has no neighbours there
        batch_size = 1 if self._settings.backend == ONNX_INT8 else self._settings.batch_size
        lengths = self._lengths(texts, prompt)
        return plan_batches(lengths, batch_tokens=self._settings.batch_tokens, batch_size=batch_size)

    def _encode_batches(
        self, texts: Sequence[str], batches: Iterable[Batch], prompt: str | None
    ) -> Iterator[FloatArray]:
        return self._computed(self._features([texts[row] for row in batch.rows], prompt) for batch in batches)

    def _computed(self, features: Iterable[dict[str, Any]]) -> Iterator[FloatArray]:
        """The vectors of batches that are ready for the model, in their order."""
        if self.device == "cpu":
            return self._in_threads(features)
        return self._on_devices(features) if len(self._models) > 1 else self._one_after_the_other(features)

    def _prompt_of(self, role: str, task: str | None) -> str | None:
        settings, model = self._settings, self._model
        if settings.prompt is not None:
            return settings.prompt
        try:
            return prompt_text(
                settings.prompts,
                settings.prompt_names,
                role=role,
                task=task,
                own=model.prompts,
                default_name=model.default_prompt_name,
            )
        except KeyError as error:
            known = sorted({*settings.prompts, *model.prompts})
            raise ConfigError(
                f"prompt_names: neither prompts nor the model has a prompt named {error}. Write one of: "
                f"{', '.join(known)}; or add it under prompts."
            ) from None

    def _lengths(self, texts: Sequence[str], prompt: str | None) -> IntArray:
        """Tokens of each text as the model reads it, at least 1; counts the texts that are cut."""
        tokenizer = getattr(self._model[0], "tokenizer", None)
        if texts and self._settings.segment is not None:
            texts = self._with_words(texts, self._settings.segment)
        if not texts or not isinstance(tokenizer, PreTrainedTokenizerBase):
            return np.asarray([1 + len(text) // _CHARACTERS_PER_TOKEN for text in texts], dtype=np.int64)
        whole = np.concatenate(
            [
                _token_counts(tokenizer, [(prompt or "") + text for text in texts[start : start + _COUNTED]])
                for start in range(0, len(texts), _COUNTED)
            ]
        )
        limit = self._model.max_seq_length
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
        share, end = 100 * len(cut) / len(texts), self._settings.truncation
        logger.warning(
            "%d of %d texts (%.1f %%) have more than %d tokens; what they have more is cut off at the %s",
            *(len(cut), len(texts), share, limit, end),
        )
        return whole - self.reading.lost

    def _features(self, texts: list[str], prompt: str | None) -> dict[str, Any]:
        # In the caller's thread: a fast tokenizer is used by one thread at a time, and has threads of its own
        if self._settings.segment is not None:
            texts = self._with_words(texts, self._settings.segment)
        features: dict[str, Any] = self._model.preprocess(texts, prompt=prompt)
        return features

    def _with_words(self, texts: Sequence[str], how: str) -> list[str]:
        """Segmented texts; a plan segments all of a job, which its batches find here."""
        new = [text for text in dict.fromkeys(texts) if text not in self._segmented]
        self._segmented |= zip(new, segmented(new, how), strict=True)
        return [self._segmented[text] for text in texts]

    def _one_after_the_other(self, features: Iterable[dict[str, Any]]) -> Iterator[FloatArray]:
        for batch in features:
            yield self._forward(batch)

    def _on_devices(self, features: Iterable[dict[str, Any]]) -> Iterator[FloatArray]:
        # A queue for each device: its batches follow one another, and all devices are alike, so taking turns
        # keeps them all busy
        pools = [ThreadPoolExecutor(1) for _ in self._models]
        pending: deque[Future[FloatArray]] = deque()
        try:
            for index, batch in enumerate(features):
                turn = index % len(pools)
                pending.append(pools[turn].submit(self._forward, batch, self._models[turn]))
                if len(pending) > 2 * len(pools):
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for pool in pools:
                pool.shutdown(cancel_futures=True)

    def _in_threads(self, features: Iterable[dict[str, Any]]) -> Iterator[FloatArray]:
        threads_before = torch.get_num_threads()
        pending: deque[Future[FloatArray]] = deque()
        # torch keeps the number of threads of an operation per calling thread, hence the initializer
        pool = ThreadPoolExecutor(self._threads, initializer=torch.set_num_threads, initargs=(1,))
        try:
            for batch in features:
                pending.append(pool.submit(self._forward, batch))
                if len(pending) > 2 * self._threads:  # enough to keep every thread busy
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
            torch.set_num_threads(threads_before)

    def _joined(self, halves: Sequence[FloatArray]) -> FloatArray:
        return np.concatenate(halves)

    @property
    def halved_batches(self) -> int:
        return self._halver.n_halved

    def _forward(self, features: dict[str, Any], model: SentenceTransformer | None = None) -> FloatArray:
        try:
            return self._halver(features, model or self._model)
        except IndexError as error:
            raise DataError(
                f"the tokenizer gives a token, or a text has a place, for which the model has no vector ({error}). "
                "Take the files of the model as their authors published them, all of one version; or write a smaller "
                "max_tokens."
            ) from error

    @torch.inference_mode()
    def _forward_whole(self, features: dict[str, Any], model: SentenceTransformer) -> FloatArray:
        on_device = {
            key: value.to(model.device) if isinstance(value, torch.Tensor) else value
            for key, value in features.items()
        }
        rounded = self._settings.dtype == BFLOAT16_AUTOCAST
        with torch.autocast(model.device.type, dtype=torch.bfloat16, enabled=rounded):
            found = model(on_device)
        if "sentence_embedding" not in found:
            raise DataError(
                "the modules of the model give no vector of a text: there is no Pooling behind the Transformer. Write "
                "kind: transformers and a pooling, or take a model of sentence-transformers."
            )
        # Half precision ends here: what follows would round once more
        vectors: torch.Tensor = found["sentence_embedding"].float()[:, : self.dimension]
        if self._settings.normalise:
            vectors = torch.nn.functional.normalize(vectors, p=2, dim=1)
        # A copy if values were left out: a view would keep them all in memory
        return np.ascontiguousarray(vectors.cpu().numpy())


def _token_counts(tokenizer: PreTrainedTokenizerBase, texts: list[str]) -> IntArray:
    ids = tokenizer(texts, truncation=False, return_attention_mask=False, verbose=False)["input_ids"]
    return np.asarray([max(1, len(row)) for row in ids], dtype=np.int64)


def _kept_values(dimension: int, truncate_dim: int | None) -> int:
    if truncate_dim is None:
        return dimension
    if truncate_dim > dimension:
        raise ConfigError(
            f"truncate_dim: {truncate_dim} is more than the {dimension} values of the model's vectors. Write "
            f"at most {dimension}, or leave the key out."
        )
    return truncate_dim
