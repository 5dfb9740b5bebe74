"""Kind ``splade``: from the folder of a masked-language model to weights of the terms of its vocabulary.

The weight of a term is the maximum (or sum) over the tokens of a text of log(1 + ReLU(m)), where m is the score that
the model gives the term at a token; padding does not count (the maximum: Formal et al. 2021, "SPLADE v2", arXiv
2109.10086; the sum: Formal, Piwowarski and Clinchant 2021, arXiv 2107.05720).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from sentence_transformers import SparseEncoder
from sentence_transformers.sentence_transformer.modules import Transformer
from sentence_transformers.sparse_encoder.modules import SpladePooling

from sentflow.encoders.fetch.settings_files import modules_of
from sentflow.encoders.fetch.splade_descriptions import describe_splade
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.neural.ready import check_padding, dtype_of, loading_arguments, make_ready
from sentflow.encoders.kinds.neural.terms import TermEncoder, TermSettings, devices_for
from sentflow.encoders.kinds.neural.weights import check_weights, loading
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.protocol import Batch, FloatArray
from sentflow.encoders.vectors.sparse import SPARSE_FORM, largest_values


@dataclass(frozen=True)
class Settings(TermSettings):
    """Settings of a model entry that rule embed_sparse reads; without ``terms`` all are kept."""

    # pooling: ``max`` or ``sum`` over tokens; None is what the model's files say, and the maximum where they say
    # nothing
    pooling: str | None = None


class SpladeEncoder(TermEncoder):
    """Weights of terms by SPLADE. `models`: the same `SparseEncoder` on one device or several."""

    def __init__(self, models: Sequence[SparseEncoder], settings: Settings, *, around: Surroundings) -> None:
        super().__init__(models, settings, around=around, form=SPARSE_FORM)

    def _of_batches(
        self, texts: Sequence[str], batches: Sequence[Batch], prompt: str | None, role: str
    ) -> Iterator[csr_array]:
        most = self._of_terms.most_terms(role)
        for dense in self._encode_batches(texts, batches, prompt):
            yield largest_values(dense, most)

    @torch.inference_mode()
    def _forward_whole(self, features: dict[str, Any], model: Any) -> FloatArray:
        mask = features["attention_mask"]
        if not mask.any():
            return np.zeros((len(mask), self.dimension), dtype=np.float32)
        found = super()._forward_whole(features, model)
        # attention to nothing is no number in some models
        found[~mask.any(dim=1).numpy()] = 0
        return found


def load_sparse(manifest: Manifest, settings: Settings, around: Surroundings) -> SpladeEncoder:
    folder = checked_folder(manifest, around.manifest_folder)
    allow_pickle = bool(manifest.settings["allow_pickle"])
    # Once more: files that the manifest does not name may have come into the folder since
    describe_splade(folder, allow_pickle=allow_pickle)
    models = [
        _model(folder, settings, device, allow_pickle=allow_pickle)
        for device in devices_for(settings, around)
    ]
    return SpladeEncoder(models, settings, around=around)


def _model(folder: Path, settings: Settings, device: str, *, allow_pickle: bool) -> SparseEncoder:
    """The model of a folder, all of whose weights are those of its files."""
    model_kwargs = loading_arguments(dtype_of(settings.dtype), allow_pickle=allow_pickle)
    offline = {"local_files_only": True, "trust_remote_code": False}
    plain = not modules_of(folder)
    with loading(folder):
        if not plain:
            model = SparseEncoder(str(folder), device=device, model_kwargs=model_kwargs, **offline)
        else:
            transformer = Transformer(
                str(folder),
                transformer_task="fill-mask",
                model_kwargs={**model_kwargs, **offline},
                processor_kwargs=offline,
                config_kwargs=offline,
            )
            model = SparseEncoder(modules=[transformer, SpladePooling("max")], device=device)
        check_weights(model, folder, model_kwargs, plain=plain)
    check_padding(model, folder)
    make_ready(model, settings, dtype=model_kwargs["dtype"])
    pooling = model[1]
    # the library learns the width when the first text is read
    pooling.embedding_dimension = int(model[0].auto_model.config.vocab_size)
    if settings.pooling is not None:
        pooling.pooling_strategy = settings.pooling
    return model
