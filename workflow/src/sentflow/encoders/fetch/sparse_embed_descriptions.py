"""What the files of a SparseEmbed say; JSON and headers alone are read, and no model code runs."""

from pathlib import Path

from sentflow.encoders.fetch.descriptions import ModelDescription
from sentflow.encoders.fetch.settings_files import damaged
from sentflow.encoders.fetch.splade_descriptions import describe_splade
from sentflow.encoders.fetch.tensors import tensor_headers
from sentflow.errors import DataError
from sentflow.sparse.folder_description import TENSORS, FolderDescription

_PROJECTION = "projections.document.weight"


def describe_sparse_embed(folder: Path, *, allow_pickle: bool) -> ModelDescription:
    """Read the description of a model that `sentflow.sparse.folder` saved.

    ``dimension`` is the number of terms; ``pooling`` is None. Raises ConfigError: the folder is none of a
    SparseEmbed, of another version, or its model predicts no words; it needs code of its own, or pickled weights.
    """
    said = FolderDescription.read(folder)
    described = describe_splade(folder, allow_pickle=allow_pickle)
    projection = tensor_headers(folder / TENSORS).get(_PROJECTION)
    if projection is None or projection.shape[:1] != (said.embedding_size,):
        raise DataError(
            damaged(folder / TENSORS, f"it holds no {_PROJECTION} to vectors of {said.embedding_size} values")
        )
    return ModelDescription(described.dimension, None, said.max_tokens)
