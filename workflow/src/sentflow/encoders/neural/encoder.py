"""Neural encoders of texts: prompts, lengths and batches; what a model makes of a batch is said by each kind."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from sentflow.encoders.arrays import Batch, IntArray, Reading
from sentflow.encoders.kind import Encoder
from sentflow.encoders.neural.batches import BatchRunner, plan_batches
from sentflow.encoders.prompts import prompt_text
from sentflow.encoders.settings import BFLOAT16_AUTOCAST, TEXT, TextSettings
from sentflow.encoders.vectors.forms import DENSE_FORM, Form, Vectors
from sentflow.encoders.vectors.storage import named_rows
from sentflow.errors import ConfigError, DataError
from sentflow.texts.segmentation import segmented

logger = logging.getLogger(__name__)

_COUNTED = 4096  # texts at a time: a tokenizer holds much more for a text than its tokens
_MOST_TOKENS = 1 << 40
_CHARACTERS_PER_TOKEN = 4  # where the first module has no tokenizer of transformers; only plans batches


class NeuralEncoder(Encoder):
    """A model on one device or several, see `BatchRunner`.

    Parameters
    ----------
    models
        The same one on each device.
    tokenizer
        Of the model.
    limit
        Tokens that it reads; None is no limit.
    threads
        Batches at a time on a processor, >= 1.
    prompts, default_prompt
        Of the model's files: name → prompt, and the name of the one that is put before texts without a role.
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

        Raises
        ------
        ConfigError
            There is no prompt of a chosen name.
        DataError
            A text is too long, and the settings say that none may be cut; names the rows.
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
            "%d of %d texts (%.1f %%) have more than %d tokens; what they have more is cut off at the %s",
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
