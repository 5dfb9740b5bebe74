"""Kind ``sparse-embed``: from the folder of a SparseEmbed to weights of terms and a vector for each.

Kong et al. 2023, "SparseEmbed" (doi 10.1145/3539618.3592065); the model is `sentflow.sparse.SparsEmbed`.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Self

import torch

from sentflow.encoders.kind import Context, kind
from sentflow.encoders.kinds.splade import TermEncoder
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.neural.describe import describe_term_vectors
from sentflow.encoders.neural.load import check_padding, devices_for, dtype_of
from sentflow.encoders.settings import TermSettings
from sentflow.encoders.vectors.sparse import TERM_FORM, TermEmbeddings
from sentflow.encoders.vectors.storage import Batch
from sentflow.sparse.folder import load_sparse_embed
from sentflow.sparse.model import DOCUMENT, QUERY, SparsEmbed, term_embeddings


@kind("sparse-embed")
class SparseEmbedEncoder(TermEncoder):
    """Questions are read by the head for queries, all other texts by that for documents."""

    form = TERM_FORM

    def __init__(self, models: Sequence[SparsEmbed], settings: TermSettings, *, threads: int) -> None:
        first = models[0]
        super().__init__(
            models,
            settings,
            dimension=first.n_terms,
            tokenizer=first.tokenizer,
            limit=first.max_tokens,
            threads=threads,
        )
        self._k = first.k
        for model in models:
            model.tokenizer = _OneAtATime(model.tokenizer)

    @classmethod
    def load(cls, manifest: Manifest, settings: TermSettings, context: Context) -> Self:
        folder = checked_folder(manifest, context.model_files)
        # Once more: files that the manifest does not name may have come into the folder since
        describe_term_vectors({}, folder)
        devices = devices_for(context.devices, dtype=settings.dtype)
        return cls(
            [_model(folder, settings, device) for device in devices], settings, threads=context.threads
        )

    def _features(self, texts: Sequence[str], batch: Batch, prompt: str | None, role: str) -> dict[str, Any]:
        side = QUERY if role == QUERY else DOCUMENT
        return {
            "texts": [(prompt or "") + text for text in self._marked(texts, batch)],
            "side": side,
            "k": self._settings.most_terms(role) or self._k[side],
            # as large as the batch with its padding, without memory: its tokens are made where it is computed
            "size": torch.empty(len(batch.rows), batch.cost // len(batch.rows), device="meta"),
        }

    def _forward(self, features: dict[str, Any], model: SparsEmbed) -> TermEmbeddings:
        return term_embeddings(model, features["texts"], features["k"], features["side"])


class _OneAtATime:
    """A tokenizer for several threads: batches are computed side by side, and read by the one tokenizer in turn."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer, self._lock = tokenizer, Lock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return self._tokenizer(*args, **kwargs)


def _model(folder: Path, settings: TermSettings, device: str) -> SparsEmbed:
    model = load_sparse_embed(folder, device, max_tokens=settings.max_tokens)
    check_padding(model.tokenizer, folder)
    if settings.truncation == "start":
        model.tokenizer.truncation_side = "left"
    return model.to(dtype_of(settings.dtype))
