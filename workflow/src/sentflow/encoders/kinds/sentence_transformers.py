"""Kinds ``sentence-transformers``, ``transformers`` and ``trained``: models that give a text one vector.

The second is the transformer in the folder itself with a pooling of the entry's choice, the third what a recipe made.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from sentflow.encoders.kind import Context, kind
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.neural.encoder import NeuralEncoder, on_device
from sentflow.encoders.neural.load import devices_for, load_model, tokenizer_in
from sentflow.encoders.safety import describe_modules, describe_plain
from sentflow.encoders.settings import ONNX_INT8, VectorSettings
from sentflow.encoders.vectors.storage import FloatArray
from sentflow.errors import ConfigError, DataError

_PLAIN = "transformers"


@kind("sentence-transformers", _PLAIN, "trained")
class SentenceTransformerEncoder(NeuralEncoder):
    """A `SentenceTransformer` with all of its modules, on one device or several."""

    _settings: VectorSettings

    def __init__(self, *models: SentenceTransformer, settings: VectorSettings, threads: int = 1) -> None:
        first = models[0]
        width = int(first.get_embedding_dimension())
        if (settings.truncate_dim or 0) > width:
            raise ConfigError(
                f"truncate_dim: {settings.truncate_dim} is more than the {width} values of the model's vectors. Write "
                f"at most {width}, or leave the key out."
            )
        super().__init__(
            models,
            settings,
            dimension=settings.truncate_dim or width,
            tokenizer=tokenizer_in(first),
            limit=first.max_seq_length,
            threads=threads,
            prompts=first.prompts,
            default_prompt=first.default_prompt_name,
        )

    @classmethod
    def load(cls, manifest: Manifest, settings: VectorSettings, context: Context) -> Self:
        folder = checked_folder(manifest, context.model_files)
        return cls.of_folder(folder, settings, context, manifest.settings, plain=manifest.kind == _PLAIN)

    @classmethod
    def of_folder(
        cls,
        folder: Path,
        settings: VectorSettings,
        context: Context,
        about: Mapping[str, Any] = MappingProxyType({}),
        *,
        plain: bool = False,
    ) -> Self:
        """Load the model of a folder; see `load_model`."""
        devices = devices_for(context.devices, settings.backend, settings.dtype)
        # Once more: files that the manifest does not name may have come into the folder since
        (describe_plain if plain else describe_modules)(about, folder)
        models = [
            load_model(folder, settings, device, about, plain=plain, threads=context.threads)
            for device in devices
        ]
        return cls(*models, settings=settings, threads=context.threads)

    def _most_texts(self) -> int | None:
        # The range of whole activations decides how int8 rounds: one text at a time has no neighbours there
        return 1 if self._settings.backend == ONNX_INT8 else self._settings.batch_size

    def _forward(self, features: dict[str, Any], model: SentenceTransformer) -> FloatArray:
        found = model(on_device(features, model.device))
        if "sentence_embedding" not in found:
            raise DataError(
                "the modules of the model give no vector of a text: there is no Pooling behind the Transformer. Write "
                "kind: transformers and a pooling, or take a model of sentence-transformers."
            )
        # Half precision ends here: what follows would round once more
        with torch.autocast(model.device.type, enabled=False):
            vectors: torch.Tensor = found["sentence_embedding"].float()[:, : self.dimension]
            if self._settings.normalise:
                vectors = torch.nn.functional.normalize(vectors, p=2, dim=1)
        # A copy if values were left out: a view would keep them all in memory
        return np.ascontiguousarray(vectors.cpu().numpy())
