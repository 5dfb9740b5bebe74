"""What the folder of a SparseEmbed says of it, in JSON; neither torch nor a tensor is read."""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from sentflow.encoders.safety import damaged, map_of, read_settings, whole_number
from sentflow.errors import ConfigError, DataError

DESCRIPTION = "sparse_embed.json"
TENSORS = "sparse_embed.safetensors"
FORMAT = 1
SHARED, TWO = "shared", "two"
_HEADS = (SHARED, TWO)
_FLAGS = ("tied", "projection_bias")
_NUMBERS = ("k_query", "k_documents", "embedding_size", "max_tokens")


@dataclass(frozen=True)
class FolderDescription:
    """Options of a `sentflow.sparse.SparsEmbed`, by the names of its arguments."""

    k_query: int
    k_documents: int
    embedding_size: int
    heads: str
    tied: bool
    projection_bias: bool
    max_tokens: int
    format: int = FORMAT  # version of the folder, `FORMAT`

    @classmethod
    def read(cls, folder: Path) -> Self:
        """What `sparse_embed.json` in a folder says."""
        path = folder / DESCRIPTION
        if not path.is_file():
            raise ConfigError(
                f"{folder} holds no {DESCRIPTION}, so it is no SparseEmbed. Write a folder that "
                "sentflow.sparse.folder.save_sparse_embed made; a masked language model alone is of kind splade."
            )
        found = read_settings(path)
        if found.get("format") != FORMAT:
            raise ConfigError(
                f"{path} is of format {found.get('format')!r}, and this version of sentflow reads format {FORMAT}. "
                "Save the model again with this version, or use the one that saved it."
            )
        return cls(**_checked(found, path))

    def write(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @property
    def two_heads(self) -> bool:
        """Whether queries and documents have a head and a projection each."""
        return self.heads == TWO


def _checked(found: dict[str, Any], path: Path) -> dict[str, Any]:
    known = {field.name for field in fields(FolderDescription)}
    if found.keys() != known:
        names = ", ".join(sorted(found.keys() ^ known))
        raise DataError(damaged(path, f"of its keys, these are missing or not known: {names}"))
    for key in _NUMBERS:
        whole_number(found, key, path)
    if wrong := [key for key in _FLAGS if not isinstance(found[key], bool)]:
        raise DataError(damaged(path, f"{wrong[0]} is neither true nor false"))
    if found["heads"] not in _HEADS:
        raise DataError(damaged(path, f"heads must be one of {', '.join(_HEADS)}"))
    tied = map_of(path.parent / "config.json").get("tie_word_embeddings", True)
    if tied != found["tied"]:
        raise DataError(
            damaged(path, f"tied is {found['tied']}, but tie_word_embeddings in config.json is {tied}")
        )
    return found
