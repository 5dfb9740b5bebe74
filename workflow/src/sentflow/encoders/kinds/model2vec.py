"""Kind ``model2vec``: static embeddings as model2vec saves them, one vector per token, averaged. Needs no torch."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize
from tokenizers import Tokenizer

from sentflow.encoders.kind import Context, Encoder, kind
from sentflow.encoders.manifest import Description, Manifest, checked_folder
from sentflow.encoders.safety import check_tensor_names, map_of, modules_of
from sentflow.encoders.settings import Model2vecSettings
from sentflow.encoders.vectors.storage import FloatArray, IntArray, unit_rows
from sentflow.errors import DataError

# Folders that may hold weights and tokenizer: model2vec writes the first, sentence-transformers either.
_PLACES = ("", "0_StaticEmbedding")
_NUMBERS = re.compile(r"F(16|32|64)|[IU](8|16|32|64)")  # as safetensors names types
_BFLOAT16 = "BF16"
_TABLE_NAMES = ("embeddings", "embedding.weight")
_OTHER_NAMES = ("mapping", "weights")


def describe(_entry: Mapping[str, Any], folder: Path) -> Description:
    """Loads the model whole, for such models are small."""
    return Description(Model2vecEncoder(folder, Model2vecSettings()).dimension, "mean")


@kind("model2vec")
class Model2vecEncoder(Encoder):
    """Mean of the vectors of a text's tokens, scaled to length 1 if the files ask for it; 0 without a known token.

    Follows MinishLab/model2vec@00597b2: no special tokens; a tokenizer with an unknown token drops it; the limit counts
    what is left. Unlike there, no limit is the default, as sentence-transformers has it.
    """

    def __init__(self, folder: Path, settings: Model2vecSettings) -> None:
        place = _place(folder)
        self._tokenizer = tokenizer = _tokenizer(place / "tokenizer.json")
        n_tokens = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
        # The vector of token t is ``vectors[rows[t]] * weights[t]``: quantised models share one row between tokens
        self._vectors, self._rows, self._weights = _tables(place / "model.safetensors", n_tokens=n_tokens)
        self.dimension = int(self._vectors.shape[1])
        self._max_tokens = settings.max_tokens
        scales = any(kind.rsplit(".", 1)[-1] == "Normalize" for kind, _ in modules_of(folder))
        of_files = scales or bool(map_of(folder / "config.json").get("normalize", False))
        self._normalise = settings.normalise or of_files
        unknown = getattr(tokenizer.model, "unk_token", None)
        self._unknown: int | None = None if unknown is None else tokenizer.token_to_id(unknown)

    @classmethod
    def load(cls, manifest: Manifest, settings: Model2vecSettings, context: Context) -> Self:
        return cls(checked_folder(manifest, context.model_files), settings)

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        """Neither role nor task changes a vector."""
        means = np.zeros((len(texts), self.dimension))
        for row, encoding in enumerate(self._tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            ids = [token for token in encoding.ids if token != self._unknown][: self._max_tokens]
            if ids:
                vectors = self._vectors[self._rows[ids]].astype(np.float64)
                if self._weights is not None:
                    vectors *= self._weights[ids, None]
                means[row] = vectors.mean(axis=0)
        return (unit_rows(means) if self._normalise else means).astype(np.float32)


def _place(folder: Path) -> Path:
    for name in _PLACES:
        if (folder / name / "model.safetensors").is_file() and (folder / name / "tokenizer.json").is_file():
            return folder / name
    raise DataError(
        f"{folder} holds no model of model2vec: there is no model.safetensors beside a tokenizer.json, neither "
        "there nor in 0_StaticEmbedding. Write the folder that StaticModel.save_pretrained wrote."
    )


def _tokenizer(path: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(path))
    # The library raises plain exceptions of its own
    except Exception as error:  # noqa: BLE001
        raise DataError(f"{path} is not a readable tokenizer ({error}).") from error
    # A text's vector must not depend on its neighbours or on a limit meant for another model
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _tables(path: Path, *, n_tokens: int) -> tuple[NDArray[Any], IntArray, NDArray[np.float64] | None]:
    """Vectors (m, d) of any real type, the row of every token, and its weight, float64; None is 1 for all."""
    tensors = _tensors(path)
    name = next((name for name in _TABLE_NAMES if name in tensors), None)
    if name is None or tensors[name].ndim != 2 or not tensors[name].size:  # no values, but 10^12 rows
        raise DataError(
            f"{path} holds no table of token vectors: its tensors are {', '.join(sorted(tensors)) or 'none'}, "
            f"expected one of {', '.join(_TABLE_NAMES)} with two axes."
        )
    check_tensor_names(path, tensors, known=(name, *_OTHER_NAMES))
    vectors = tensors[name]
    rows = np.asarray(tensors.get("mapping", np.arange(len(vectors))), dtype=np.int64)
    weights = tensors.get("weights")
    if len(rows) < n_tokens or (weights is not None and weights.shape != rows.shape):
        n_weights = "none" if weights is None else str(len(weights))
        raise DataError(
            f"{path} does not fit its tokenizer: {n_tokens} tokens, {len(rows)} vectors, weights: {n_weights}."
        )
    if rows.min(initial=0) < 0 or rows.max(initial=0) >= len(vectors):
        raise DataError(f"{path} is damaged: mapping points outside the {len(vectors)} rows of {name}.")
    return vectors, rows, None if weights is None else np.asarray(weights, dtype=np.float64)


def _tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Name → array of every tensor; bfloat16, which NumPy lacks, becomes float32 without loss."""
    try:
        found = deserialize(path.read_bytes())  # type: ignore[no-untyped-call]
    except (OSError, ValueError, SafetensorError) as error:
        raise DataError(f"{path} is missing or damaged ({error!r}).") from error
    types = {view["dtype"] for _, view in found} - {_BFLOAT16}
    if unknown := sorted(name for name in types if not _NUMBERS.fullmatch(name)):
        raise DataError(
            f"{path} holds numbers of type {', '.join(unknown)}, which cannot be read here. Save the model with "
            "integers or floats of at most 64 bits."
        )
    return {name: _array(view["dtype"], view["data"]).reshape(view["shape"]) for name, view in found}


def _array(dtype: str, data: bytes) -> NDArray[Any]:
    if dtype != _BFLOAT16:
        return np.frombuffer(data, dtype=f"<{dtype[0].lower()}{int(dtype[1:]) // 8}")
    # A bfloat16 is the upper half of a float32
    return (np.frombuffer(data, dtype="<u2").astype("<u4") << 16).view("<f4")
