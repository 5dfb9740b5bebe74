"""Models of sentence-transformers, run so that the number of threads changes no bit of the result."""

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from transformers import PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from sentflow.encoders.batches import plan_batches
from sentflow.encoders.protocol import Batch, FloatArray, IntArray
from sentflow.encoders.settings import EncodeSettings
from sentflow.errors import ConfigError

logger = logging.getLogger(__name__)

_CHARACTERS_PER_TOKEN = 4  # where the first module has no tokenizer of transformers; only plans batches


class SentenceTransformerEncoder:
    """A `SentenceTransformer` with all of its modules, in float32.

    On a processor every batch is computed by one thread, and `threads` batches at a time: sums are then taken
    in the same order whatever the number of threads, and short batches waste no time on dividing work. On a
    CUDA device one batch follows the other.

    Parameters
    ----------
    model
        In evaluation mode, on its device.
    settings
        How texts are encoded.
    threads
        Batches at a time on a processor, >= 1.
    """

    def __init__(self, model: SentenceTransformer, settings: EncodeSettings, *, threads: int) -> None:
        self._model = model
        self._settings = settings
        self._threads = threads
        self.device = model.device.type
        self.dimension = int(model.get_embedding_dimension())
        self._prompt: str | None = settings.prompt
        if self._prompt is None:
            self._prompt = model.prompts.get(model.default_prompt_name)

    @classmethod
    def load(
        cls, folder: Path, settings: EncodeSettings, *, threads: int, allow_pickle: bool
    ) -> "SentenceTransformerEncoder":
        """Load the model of a folder; on a CUDA device if there is one.

        Raises
        ------
        ConfigError
            More tokens are asked for than the model has positions.
        """
        transformers_logging.disable_progress_bar()
        model_kwargs: dict[str, Any] = {"dtype": torch.float32}
        if not allow_pickle:
            model_kwargs["use_safetensors"] = True
        model = SentenceTransformer(
            str(folder),
            device="cuda" if torch.cuda.is_available() else "cpu",
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs=model_kwargs,
        )
        model.float().eval()
        if settings.max_tokens is not None:
            _check_max_tokens(model, settings.max_tokens)
            model.max_seq_length = settings.max_tokens
        return cls(model, settings, threads=threads)

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        """See `Encoder.encode`; neither role nor task changes a vector."""
        embeddings = np.empty((len(texts), self.dimension), dtype=np.float32)
        batches = self.plan(texts)
        for batch, vectors in zip(batches, self.encode_batches(texts, batches), strict=True):
            embeddings[batch.rows] = vectors
        return embeddings

    def plan(self, texts: Sequence[str]) -> list[Batch]:
        """Batches of texts with like numbers of tokens; see `plan_batches`."""
        return plan_batches(self._lengths(texts), batch_tokens=self._settings.batch_tokens)

    def encode_batches(self, texts: Sequence[str], batches: Iterable[Batch]) -> Iterator[FloatArray]:
        """See `BatchEncoder.encode_batches`."""
        features = (self._features([texts[row] for row in batch.rows]) for batch in batches)
        return self._one_after_the_other(features) if self.device != "cpu" else self._in_threads(features)

    def _lengths(self, texts: Sequence[str]) -> IntArray:
        """Tokens of each text as the model reads it, at least 1."""
        tokenizer = getattr(self._model[0], "tokenizer", None)
        if not texts or not isinstance(tokenizer, PreTrainedTokenizerBase):
            return np.asarray([1 + len(text) // _CHARACTERS_PER_TOKEN for text in texts], dtype=np.int64)
        prompted = [(self._prompt or "") + text for text in texts]
        ids = tokenizer(prompted, truncation=True, return_attention_mask=False)["input_ids"]
        return np.asarray([max(1, len(row)) for row in ids], dtype=np.int64)

    def _features(self, texts: list[str]) -> dict[str, Any]:
        # In the caller's thread: a fast tokenizer is used by one thread at a time, and has threads of its own
        features: dict[str, Any] = self._model.preprocess(texts, prompt=self._prompt)
        return features

    def _one_after_the_other(self, features: Iterable[dict[str, Any]]) -> Iterator[FloatArray]:
        for batch in features:
            yield self._forward(batch)

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

    @torch.inference_mode()
    def _forward(self, features: dict[str, Any]) -> FloatArray:
        on_device = {
            key: value.to(self.device) if isinstance(value, torch.Tensor) else value
            for key, value in features.items()
        }
        vectors: torch.Tensor = self._model(on_device)["sentence_embedding"]
        if self._settings.normalise:
            vectors = torch.nn.functional.normalize(vectors, p=2, dim=1)
        return vectors.float().cpu().numpy()


def _check_max_tokens(model: SentenceTransformer, max_tokens: int) -> None:
    config = getattr(model[0], "config", None)
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None and max_tokens > positions:
        raise ConfigError(
            f"max_tokens: {max_tokens} is more than the {positions} positions that the model has. Write at "
            f"most {positions}, or leave the key out: the model's own limit is {model.max_seq_length}."
        )
