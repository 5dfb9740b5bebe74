"""The manifest of an encoder that was trained here. No heavy library: a light job reads it."""

from pathlib import Path

from sentflow.encoders.fetch.descriptions import describe
from sentflow.encoders.fetch.file_names import model_files
from sentflow.encoders.kinds.table import TRAINED
from sentflow.encoders.manifest import Manifest
from sentflow.files.io import file_sha256


def manifest_of(weights: Path, *, model: str) -> Manifest:
    """What a folder of `sentflow.training.export.save_encoder` holds, as the manifest of a trained encoder says it."""
    description = describe(weights, allow_pickle=False)
    return Manifest(
        kind=TRAINED,
        dimension=description.dimension,
        source={"trained": model},
        files={name: file_sha256(weights / name) for name in model_files(weights, allow_pickle=False)},
        pooling=description.pooling,
        max_tokens=description.max_tokens,
        settings={"allow_pickle": False},
    )
