"""Kind ``sparse-embed``: from the folder of a SparseEmbed to weights of terms and a vector for each.

Kong et al. 2023, "SparseEmbed" (doi 10.1145/3539618.3592065); the model is `sentflow.sparse.SparsEmbed`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from scipy.sparse import csr_array

from sentflow.encoders.fetch.sparse_embed_descriptions import describe_sparse_embed
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.neural import settings as neural
from sentflow.encoders.kinds.neural.ready import check_padding, dtype_of
from sentflow.encoders.kinds.neural.terms import TermEncoder, TermSettings, devices_for
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.protocol import Batch
from sentflow.encoders.vectors.terms import TERM_FORM, TermEmbeddings
from sentflow.sparse.encoding import term_embeddings
from sentflow.sparse.folder import load_sparse_embed
from sentflow.sparse.model import DOCUMENT, QUERY, SparsEmbed


@dataclass(frozen=True)
class Settings(TermSettings):
    """Settings of a model entry that rule embed_sparse reads; without ``terms`` as many as the model's files say."""


class _OneAtATime:
    """A tokenizer for several threads: batches are computed side by side, and read by the one tokenizer in turn."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer, self._lock = tokenizer, Lock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return self._tokenizer(*args, **kwargs)


class _Model:
    """A SparseEmbed with what `SentenceTransformerEncoder` asks of a model; it has no prompts of its own.

    Attributes
    ----------
    terms
        The model itself.
    """

    prompts: Mapping[str, str] = {}
    default_prompt_name = None

    def __init__(self, terms: SparsEmbed) -> None:
        self.terms, self.tokenizer = terms, terms.tokenizer
        terms.tokenizer = _OneAtATime(terms.tokenizer)

    def __getitem__(self, _: int) -> "_Model":
        return self

    @property
    def device(self) -> torch.device:
        return self.terms.device

    @property
    def max_seq_length(self) -> int:
        return self.terms.max_tokens

    def get_embedding_dimension(self) -> int:
        return self.terms.n_terms

    def preprocess(self, texts: Sequence[str], prompt: str | None) -> dict[str, Any]:
        return {"texts": [(prompt or "") + text for text in texts]}


class SparseEmbedEncoder(TermEncoder):
    """Questions are read by the head for queries, all other texts by that for documents."""

    def __init__(self, models: Sequence[SparsEmbed], settings: Settings, *, around: Surroundings) -> None:
        super().__init__([_Model(model) for model in models], settings, around=around, form=TERM_FORM)
        self._k = models[0].k

    def _of_batches(
        self, texts: Sequence[str], batches: Sequence[Batch], prompt: str | None, role: str
    ) -> Iterator[Any]:
        side = QUERY if role == QUERY else DOCUMENT
        head = {"side": side, "k": self._of_terms.most_terms(role) or self._k[side]}
        return self._computed(
            {**self._features([texts[row] for row in batch.rows], prompt), **head, "size": _size(batch)}
            for batch in batches
        )

    def _weights(self, found: TermEmbeddings) -> csr_array:
        return found.weights

    def _joined(self, halves: Sequence[Any]) -> Any:
        return TERM_FORM.joined(halves)

    @torch.inference_mode()
    def _forward_whole(self, features: dict[str, Any], model: Any) -> Any:
        texts, rounded = features["texts"], self._settings.dtype == neural.BFLOAT16_AUTOCAST
        with torch.autocast(model.device.type, dtype=torch.bfloat16, enabled=rounded):
            return term_embeddings(model.terms, texts, features["k"], features["side"])


def load_sparse(manifest: Manifest, settings: Settings, around: Surroundings) -> SparseEmbedEncoder:
    folder = checked_folder(manifest, around.manifest_folder)
    # Once more: files that the manifest does not name may have come into the folder since
    describe_sparse_embed(folder, allow_pickle=False)
    models = [_model(folder, settings, device) for device in devices_for(settings, around)]
    return SparseEmbedEncoder(models, settings, around=around)


def _model(folder: Path, settings: Settings, device: str) -> SparsEmbed:
    model = load_sparse_embed(folder, device, max_tokens=settings.max_tokens)
    check_padding([model], folder)
    if settings.truncation == "start":
        model.tokenizer.truncation_side = "left"
    return model.to(dtype_of(settings.dtype))


def _size(batch: Batch) -> torch.Tensor:
    """A tensor as large as a batch with its padding, without memory: its tokens are made where it is computed."""
    return torch.empty(len(batch.rows), batch.cost // len(batch.rows), device="meta")
