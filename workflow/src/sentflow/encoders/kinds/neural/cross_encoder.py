"""Kind ``cross-encoder``: from the folder of a model to numbers for pairs of texts."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sentence_transformers import CrossEncoder
from transformers.utils import logging as transformers_logging

from sentflow.encoders.fetch.descriptions import describe_plain
from sentflow.encoders.fetch.positions import usable_tokens
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.neural.devices import check_devices, default_devices
from sentflow.encoders.kinds.neural.ready import loading_arguments
from sentflow.encoders.kinds.neural.settings import TORCH
from sentflow.encoders.kinds.neural.weights import check_weights, loading
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.vectors.batches import plan_batches
from sentflow.errors import ConfigError, DataError

_PAIRS = 8192  # whose batches are planned together


@dataclass(frozen=True)
class Settings(EncoderSettings):
    """Settings of a model entry."""

    # max_tokens: pairs are cut after this many tokens, special ones included; None is the model's own limit
    max_tokens: int | None = None
    # batch_tokens: tokens of a batch, padding included; a longer pair is a batch by itself. Other values change the
    # last bits of the scores.
    batch_tokens: int = 2048


class PairScorer:
    """Scores pairs of texts by a cross-encoder; the number of threads changes no bit of a score.

    Scores are the model's own numbers, before the sigmoid that `CrossEncoder.predict` puts around them: their order is
    the same, and none become equal because both are rounded to 1.
    """

    def __init__(self, model: CrossEncoder, settings: Settings, threads: int) -> None:
        self._model = model
        self._settings = settings
        self._threads = threads if model.device.type == "cpu" else 1
        self.truncated_pairs = 0

    def scores(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        found = np.zeros(len(first), dtype=np.float32)
        for start in range(0, len(first), _PAIRS):
            part = slice(start, start + _PAIRS)
            found[part] = self._of_part(list(zip(first[part], second[part], strict=True)))
        if not np.isfinite(found).all():
            raise DataError(
                f"the cross-encoder gives {int((~np.isfinite(found)).sum())} of {len(found)} pairs a score that is no "
                "finite number. Its weights are damaged, or made for another version of the libraries."
            )
        return found

    def _of_part(self, pairs: list[tuple[str, str]]) -> np.ndarray:
        found = np.zeros(len(pairs), dtype=np.float32)
        batches = plan_batches(self._lengths(pairs), batch_tokens=self._settings.batch_tokens)
        features = (self._model.preprocess([pairs[row] for row in batch.rows]) for batch in batches)
        for batch, values in zip(batches, self._in_threads(features), strict=True):
            found[batch.rows] = values
        return found

    def _lengths(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        ids = self._model.tokenizer(
            *map(list, zip(*pairs, strict=True)), truncation=False, return_attention_mask=False, verbose=False
        )["input_ids"]
        whole = np.array([len(row) for row in ids], dtype=np.int64)
        limit = self._model.max_seq_length
        if limit is None:
            return whole
        self.truncated_pairs += int((whole > limit).sum())
        lengths: np.ndarray = np.minimum(whole, limit)
        return lengths

    def _in_threads(self, features: Iterator[dict[str, Any]]) -> Iterator[np.ndarray]:
        pending: deque[Future[np.ndarray]] = deque()
        # torch keeps the number of threads of an operation per calling thread, hence the initializer
        with ThreadPoolExecutor(self._threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            for batch in features:
                pending.append(pool.submit(self._forward, batch))
                if len(pending) > 2 * self._threads:  # enough to keep every thread busy
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()

    @torch.inference_mode()
    def _forward(self, features: dict[str, Any]) -> np.ndarray:
        on_device = {
            key: value.to(self._model.device) if isinstance(value, torch.Tensor) else value
            for key, value in features.items()
        }
        values: np.ndarray = self._model(on_device)["scores"].float().reshape(-1).cpu().numpy()
        return values


def load_pairs(manifest: Manifest, settings: Settings, around: Surroundings) -> PairScorer:
    folder = checked_folder(manifest, around.manifest_folder)
    allow_pickle = bool(manifest.settings["allow_pickle"])
    devices = around.devices or default_devices(TORCH)
    check_devices(devices, backend=TORCH)
    if len(devices) > 1:
        raise ConfigError(f"device: {len(devices)} devices, but a cross-encoder runs on one. Write one.")
    # Once more: files that the manifest does not name may have come into the folder since
    describe_plain(folder, allow_pickle=allow_pickle)
    model = _model(folder, devices[0], allow_pickle=allow_pickle)
    usable = usable_tokens(model.config.to_dict())
    if settings.max_tokens is not None:
        if usable is not None and settings.max_tokens > usable:
            raise ConfigError(
                f"max_tokens: {settings.max_tokens} is more than the {usable} positions that the model has "
                f"for a pair. Write at most {usable}, or leave the key out."
            )
        model.max_seq_length = settings.max_tokens
    elif model.max_seq_length is None or (usable is not None and model.max_seq_length > usable):
        model.max_seq_length = manifest.max_tokens
    return PairScorer(model, settings, around.threads)


def _model(folder: Path, device: str, *, allow_pickle: bool) -> CrossEncoder:
    transformers_logging.disable_progress_bar()
    model_kwargs = loading_arguments(torch.float32, allow_pickle=allow_pickle)
    with loading(folder):
        model = CrossEncoder(
            str(folder),
            device=device,
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs=model_kwargs,
            activation_fn=torch.nn.Identity(),
        )
        check_weights(model, folder, model_kwargs, plain=False)
    model.eval()
    return model
