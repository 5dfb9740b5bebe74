"""What the folder of a SparseEmbed says of it, in JSON; neither torch nor a tensor is read."""

from pathlib import Path
from typing import Final, Literal, Self

from pydantic import ValidationError

from sentflow.config.model import Count, Int, Settings
from sentflow.encoders.safety import damaged, map_of, read_settings
from sentflow.errors import ConfigError, DataError

DESCRIPTION = "sparse_embed.json"
TENSORS = "sparse_embed.safetensors"
FORMAT = 1
SHARED: Final = "shared"
TWO: Final = "two"


class FolderDescription(Settings):
    """Options of a `sentflow.sparse.SparsEmbed`, by the names of its arguments."""

    k_query: Count
    k_documents: Count
    embedding_size: Count
    heads: Literal["shared", "two"]
    tied: bool
    projection_bias: bool
    max_tokens: Count
    format: Int = FORMAT
    """Version of the folder, `FORMAT`."""

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
        try:
            said = cls.model_validate(found)
        except ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            raise DataError(damaged(path, wrong)) from error
        tied = map_of(path.parent / "config.json").get("tie_word_embeddings", True)
        if tied != said.tied:
            raise DataError(
                damaged(path, f"tied is {said.tied}, but tie_word_embeddings in config.json is {tied}")
            )
        return said
