"""Models of sentence-transformers, run so that the number of threads changes no bit of the result."""

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Transformer
from transformers import PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from sentflow.encoders.fetch.model_files import describe, describe_plain
from sentflow.encoders.kinds.neural.pooling import make_pooling, replace_pooling
from sentflow.encoders.kinds.neural.settings import ONNX_INT8, TORCH, EncodeSettings
from sentflow.encoders.kinds.neural.weights import check_weights, recorded_loading
from sentflow.encoders.prompts import TEXT, prompt_text
from sentflow.encoders.protocol import Batch, FloatArray, IntArray
from sentflow.encoders.vectors.batches import plan_batches
from sentflow.encoders.vectors.memory import BatchHalver
from sentflow.encoders.vectors.storage import named_rows
from sentflow.errors import ConfigError, DataError

logger = logging.getLogger(__name__)

# What the libraries raise where files are damaged, tensors are missing or a class does not exist.
_LOADING_ERRORS = (
    *(
        AssertionError,
        AttributeError,
        ImportError,
        LookupError,
        OSError,
        OverflowError,
        RuntimeError,
        TypeError,
    ),
    *(ValueError, SafetensorError, StrictDataclassError),
)
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
    truncated_texts
        How many texts of the last `plan` were cut; None where no tokenizer of transformers tells.
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
        settings: EncodeSettings,
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
        self.truncated_texts: int | None = None
        self._halver = BatchHalver(self._forward_whole)
        self._prompt = self._prompt_of(role, task)

    @classmethod
    def load(
        cls,
        folder: Path,
        settings: EncodeSettings,
        *,
        threads: int,
        allow_pickle: bool,
        plain: bool = False,
        devices: Sequence[str] = (),
        role: str = TEXT,
        task: str | None = None,
    ) -> "SentenceTransformerEncoder":
        """Load the model of a folder.

        Parameters
        ----------
        plain
            Take the transformer in the folder itself, whatever modules the folder names beside it.
        devices
            Empty is a CUDA device if there is one, else the processor.

        Raises
        ------
        ConfigError
            The settings do not fit the model, its files ask for what is not obeyed, or a device or a library is
            not there.
        DataError
            The weights are not those of the model, see `check_weights`, or a file is damaged.
        """
        transformers_logging.disable_progress_bar()
        devices = devices or _default_devices(settings.backend)
        _check_devices(devices, backend=settings.backend)
        # Once more: files that the manifest does not name may have come into the folder since
        (describe_plain if plain else describe)(folder, allow_pickle=allow_pickle)
        models = [
            _load_model(folder, settings, device, threads=threads, allow_pickle=allow_pickle, plain=plain)
            for device in devices
        ]
        return cls(models[0], settings, threads=threads, role=role, task=task, copies=models[1:])

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:
        """See `Encoder.encode`; role and task choose the prompt."""
        prompt = self._prompt_of(role, task)
        embeddings = np.empty((len(texts), self.dimension), dtype=np.float32)
        batches = self._plan(texts, prompt)
        for batch, vectors in zip(batches, self._encode_batches(texts, batches, prompt), strict=True):
            embeddings[batch.rows] = vectors
        return embeddings

    def plan(self, texts: Sequence[str]) -> list[Batch]:
        """Batches of texts with like numbers of tokens; see `plan_batches`.

        Raises
        ------
        DataError
            A text is too long, and the settings say that none may be cut; names the rows.
        """
        return self._plan(texts, self._prompt)

    def encode_batches(self, texts: Sequence[str], batches: Iterable[Batch]) -> Iterator[FloatArray]:
        """See `BatchEncoder.encode_batches`."""
        return self._encode_batches(texts, batches, self._prompt)

    def _plan(self, texts: Sequence[str], prompt: str | None) -> list[Batch]:
        # The range of whole activations decides how int8 rounds: one text at a time has no neighbours there
        batch_size = 1 if self._settings.backend == ONNX_INT8 else self._settings.batch_size
        lengths = self._lengths(texts, prompt)
        return plan_batches(lengths, batch_tokens=self._settings.batch_tokens, batch_size=batch_size)

    def _encode_batches(
        self, texts: Sequence[str], batches: Iterable[Batch], prompt: str | None
    ) -> Iterator[FloatArray]:
        features = (self._features([texts[row] for row in batch.rows], prompt) for batch in batches)
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
        if not texts or not isinstance(tokenizer, PreTrainedTokenizerBase):
            return np.asarray([1 + len(text) // _CHARACTERS_PER_TOKEN for text in texts], dtype=np.int64)
        prompted = [(prompt or "") + text for text in texts]
        ids = tokenizer(prompted, truncation=False, return_attention_mask=False, verbose=False)["input_ids"]
        whole = np.asarray([max(1, len(row)) for row in ids], dtype=np.int64)
        limit = self._model.max_seq_length
        cut = np.flatnonzero(whole > limit) if limit is not None else np.empty(0, dtype=np.int64)
        self.truncated_texts = len(cut)
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
        lengths: IntArray = np.minimum(whole, limit)
        return lengths

    def _features(self, texts: list[str], prompt: str | None) -> dict[str, Any]:
        # In the caller's thread: a fast tokenizer is used by one thread at a time, and has threads of its own
        features: dict[str, Any] = self._model.preprocess(texts, prompt=prompt)
        return features

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

    @property
    def halved_batches(self) -> int:
        return self._halver.n_halved

    def _forward(self, features: dict[str, Any], model: SentenceTransformer | None = None) -> FloatArray:
        return self._halver(features, model or self._model)

    @torch.inference_mode()
    def _forward_whole(self, features: dict[str, Any], model: SentenceTransformer) -> FloatArray:
        on_device = {
            key: value.to(model.device) if isinstance(value, torch.Tensor) else value
            for key, value in features.items()
        }
        # Half precision ends here: what follows would round once more
        found = model(on_device)
        if "sentence_embedding" not in found:
            raise DataError(
                "the modules of the model give no vector of a text: there is no Pooling behind the Transformer. Write "
                "kind: transformers and a pooling, or take a model of sentence-transformers."
            )
        vectors: torch.Tensor = found["sentence_embedding"].float()[:, : self.dimension]
        if self._settings.normalise:
            vectors = torch.nn.functional.normalize(vectors, p=2, dim=1)
        # A copy if values were left out: a view would keep them all in memory
        return np.ascontiguousarray(vectors.cpu().numpy())


def _load_model(
    folder: Path, settings: EncodeSettings, device: str, *, threads: int, allow_pickle: bool, plain: bool
) -> SentenceTransformer:
    """The model of a folder with everything that the settings change in it, ready on a device."""
    dtype = getattr(torch, settings.dtype)
    model_kwargs: dict[str, Any] = {"dtype": dtype, "weights_only": True}
    if not allow_pickle:
        model_kwargs["use_safetensors"] = True
    if settings.backend != TORCH:
        model_kwargs["attn_implementation"] = "eager"  # fused attention has no counterpart to export to
    model = _checked_model(folder, model_kwargs, settings, device, plain=plain)
    model.to(dtype).eval()
    if settings.max_tokens is not None:
        _check_max_tokens(model, settings.max_tokens)
        model.max_seq_length = settings.max_tokens
    if settings.truncation == "start":
        _cut_at_the_start(model)
    if settings.backend != TORCH:
        from sentflow.encoders.kinds.neural.backends import use_backend

        use_backend(model, settings.backend, threads=threads)
    return model


def _checked_model(
    folder: Path, model_kwargs: dict[str, Any], settings: EncodeSettings, device: str, *, plain: bool
) -> SentenceTransformer:
    """The model of a folder, all of whose weights are those of its files."""
    try:
        with recorded_loading() as loaded:
            if plain:
                model = _plain_model(folder, model_kwargs, settings.pooling or "mean", device)
            else:
                model = SentenceTransformer(
                    str(folder),
                    device=device,
                    trust_remote_code=False,
                    local_files_only=True,
                    model_kwargs=model_kwargs,
                )
    except torch.OutOfMemoryError:
        raise
    except _LOADING_ERRORS as error:
        reason = " ".join(str(error).split())
        raise DataError(
            f"{folder} cannot be loaded ({type(error).__name__}: {reason}). Take the files of the model as their "
            "authors published them, all of one version."
        ) from error
    check_weights(model, loaded, folder=folder)
    _check_padding(model, folder)
    if settings.pooling is not None and not plain:
        replace_pooling(model, settings.pooling)
    return model


def _check_padding(model: SentenceTransformer, folder: Path) -> None:
    """Refuse a tokenizer that cannot bring the texts of a batch to one length."""
    tokenizer = getattr(model[0], "tokenizer", None)
    if isinstance(tokenizer, PreTrainedTokenizerBase) and tokenizer.pad_token is None:
        raise DataError(
            f"{folder}: the tokenizer has no padding token, so no two texts can be embedded together. Write pad_token "
            "into tokenizer_config.json, as the authors of the model say it, or take kind: transformers."
        )


def _plain_model(
    folder: Path, model_kwargs: dict[str, Any], pooling: str, device: str
) -> SentenceTransformer:
    offline = {"local_files_only": True, "trust_remote_code": False}
    transformer = Transformer(
        str(folder),
        model_kwargs={**model_kwargs, **offline},
        processor_kwargs=offline,
        config_kwargs=offline,
    )
    if transformer.tokenizer is not None and transformer.tokenizer.pad_token is None:
        # The token itself is never read: padding is masked
        transformer.tokenizer.pad_token = transformer.tokenizer.eos_token or transformer.tokenizer.unk_token
    module = make_pooling(transformer, pooling, include_prompt=True)
    return SentenceTransformer(modules=[transformer, module], device=device)


def _kept_values(dimension: int, truncate_dim: int | None) -> int:
    if truncate_dim is None:
        return dimension
    if truncate_dim > dimension:
        raise ConfigError(
            f"truncate_dim: {truncate_dim} is more than the {dimension} values of the model's vectors. Write "
            f"at most {dimension}, or leave the key out."
        )
    return truncate_dim


def _default_devices(backend: str) -> tuple[str, ...]:
    return ("cuda",) if backend == TORCH and torch.cuda.is_available() else ("cpu",)


def _check_devices(devices: Sequence[str], *, backend: str) -> None:
    if backend != TORCH and any(device != "cpu" for device in devices):
        raise ConfigError(
            f"device: the backend {backend} computes on the processor here. Write device: cpu, or backend: torch."
        )
    known = ["cpu"]
    if torch.backends.mps.is_available():
        known.append("mps")
    for kind in (torch.cuda, torch.xpu):
        if kind.is_available():
            name = kind.__name__.rpartition(".")[2]
            known += [name, *(f"{name}:{number}" for number in range(kind.device_count()))]
    if missing := [device for device in devices if device not in known]:
        raise ConfigError(
            f"device: this machine has no {', '.join(missing)} that torch can use. Write one of: "
            f"{', '.join(known)}; or leave the key out."
        )


def _cut_at_the_start(model: SentenceTransformer) -> None:
    tokenizer = getattr(model[0], "tokenizer", None)
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise ConfigError(
            "truncation: texts are cut at the start by a tokenizer of transformers, which this model does not "
            "have. Leave the key out."
        )
    tokenizer.truncation_side = "left"


def _check_max_tokens(model: SentenceTransformer, max_tokens: int) -> None:
    config = getattr(model[0], "config", None)
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None and max_tokens > positions:
        raise ConfigError(
            f"max_tokens: {max_tokens} is more than the {positions} positions that the model has. Write at "
            f"most {positions}, or leave the key out: the model's own limit is {model.max_seq_length}."
        )
