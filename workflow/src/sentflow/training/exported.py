"""The manifest of an encoder that was trained here. No heavy library: a light job reads it."""

from collections.abc import Callable, Mapping
from pathlib import Path

from sentflow.encoders.fetch.cross_encoder_descriptions import describe_cross_encoder
from sentflow.encoders.fetch.descriptions import ModelDescription, describe
from sentflow.encoders.fetch.file_names import model_files
from sentflow.encoders.fetch.sparse_embed_descriptions import describe_sparse_embed
from sentflow.encoders.fetch.splade_descriptions import describe_splade
from sentflow.encoders.kinds.table import CROSS_ENCODER, SPARSE_EMBED, SPLADE, TRAINED
from sentflow.encoders.manifest import Manifest
from sentflow.files.io import file_sha256

_DESCRIBED: Mapping[str, Callable[..., ModelDescription]] = {
    TRAINED: describe,
    SPLADE: describe_splade,
    SPARSE_EMBED: describe_sparse_embed,
    CROSS_ENCODER: describe_cross_encoder,
}


def manifest_of(weights: Path, *, model: str, kind: str) -> Manifest:
    """What a folder of `sentflow.training.contract.Objective.write` holds.

    `kind`: of encoder that its recipe makes, see `sentflow.encoders.kinds.table`.
    """
    description = _DESCRIBED[kind](weights, allow_pickle=False)
    return Manifest(
        kind=kind,
        dimension=description.dimension,
        source={"trained": model},
        files={name: file_sha256(weights / name) for name in model_files(weights, allow_pickle=False)},
        pooling=description.pooling,
        max_tokens=description.max_tokens,
        settings={"allow_pickle": False},
    )
