"""Kind ``cross-encoder``: numbers for pairs of texts."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import torch
from sentence_transformers import CrossEncoder
from transformers.utils import logging as transformers_logging

from sentflow.encoders.kind import Context, Encoder, kind
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.neural.encoder import BatchRunner, on_device, plan_batches, token_counts
from sentflow.encoders.neural.load import (
    OFFLINE,
    check_positions,
    check_weights,
    devices_for,
    loading,
    loading_arguments,
)
from sentflow.encoders.safety import describe_plain, usable_tokens
from sentflow.encoders.settings import FLOAT32, PairSettings
from sentflow.errors import ConfigError, DataError

_PAIRS = 8192  # whose batches are planned together


@kind("cross-encoder")
class PairScorer(Encoder):
    """Scores pairs of texts; the number of threads changes no bit of a score.

    Scores are the model's own numbers, before the sigmoid of `CrossEncoder.predict`, which would round some to 1.
    `truncated_pairs`: how many pairs were cut so far.
    """

    def __init__(self, model: CrossEncoder, settings: PairSettings, threads: int) -> None:
        self._model = model
        self._settings = settings
        self._runner = BatchRunner([model], _scores, threads=threads)
        self.truncated_pairs = 0

    @classmethod
    def load(cls, manifest: Manifest, settings: PairSettings, context: Context) -> Self:
        folder = checked_folder(manifest, context.model_files)
        devices = devices_for(context.devices)
        if len(devices) > 1:
            raise ConfigError(f"device: {len(devices)} devices, but a cross-encoder runs on one. Write one.")
        # Once more: files that the manifest does not name may have come into the folder since
        describe_plain(manifest.settings, folder)
        transformers_logging.disable_progress_bar()
        arguments = loading_arguments(FLOAT32, allow_pickle=bool(manifest.settings["allow_pickle"]))
        how = {"model_kwargs": arguments, "activation_fn": torch.nn.Identity(), **OFFLINE}
        with loading(folder):
            model = CrossEncoder(str(folder), device=devices[0], **how)
            check_weights(model, folder, arguments, plain=False)
        model.eval()
        usable = usable_tokens(model.config.to_dict())
        if settings.max_tokens is not None:
            check_positions(settings.max_tokens, usable, model.max_seq_length)
            model.max_seq_length = settings.max_tokens
        elif model.max_seq_length is None or (usable is not None and model.max_seq_length > usable):
            model.max_seq_length = manifest.max_tokens
        return cls(model, settings, context.threads)

    def scores(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        """(n,) float32 of n pairs, higher where the second text answers the first better. DataError: not finite."""
        scores = np.zeros(len(first), dtype=np.float32)
        for start in range(0, len(first), _PAIRS):
            part = slice(start, start + _PAIRS)
            pairs = list(zip(first[part], second[part], strict=True))
            batches = plan_batches(self._lengths(pairs), batch_tokens=self._settings.batch_tokens)
            features = (self._model.preprocess([pairs[row] for row in batch.rows]) for batch in batches)
            for batch, values in zip(batches, self._runner.run(features), strict=True):
                scores[part][batch.rows] = values
        if not np.isfinite(scores).all():
            n_wrong = int((~np.isfinite(scores)).sum())
            raise DataError(
                f"the cross-encoder gives {n_wrong} of {len(scores)} pairs a score that is no finite number. "
                "Its weights are damaged, or made for another version of the libraries."
            )
        return scores

    def _lengths(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        whole = token_counts(self._model.tokenizer, *map(list, zip(*pairs, strict=True)))
        limit = self._model.max_seq_length
        if limit is None:
            return whole
        self.truncated_pairs += int((whole > limit).sum())
        lengths: np.ndarray = np.minimum(whole, limit)
        return lengths


def _scores(features: dict[str, Any], model: CrossEncoder) -> np.ndarray:
    values: np.ndarray = model(on_device(features, model.device))["scores"].float().reshape(-1).cpu().numpy()
    return values
