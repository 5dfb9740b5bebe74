"""What the terms of a sparse encoder are called: the tokens of its vocabulary, readable. No weights are loaded."""

import json
from pathlib import Path

from transformers import PreTrainedTokenizerBase

from sentflow.encoders.manifest import Manifest
from sentflow.encoders.neural.tokenizer import tokenizer_of
from sentflow.encoders.vectors.sparse import TermName, vocabulary_sha256
from sentflow.errors import DataError

_SPACE = "Ġ"  # how byte-level vocabularies write the space before a word
_DAMAGED = "\ufffd"  # what a part of a letter is decoded to


def term_names(manifest: Manifest, manifest_folder: Path, expected: str | None = None) -> TermName:
    """The names of the terms of a model.

    `manifest`, `manifest_folder`: of the model, and where it lies. `expected`: `vocabulary_sha256` of the vocabulary
    whose terms are to be named; None is that of the model.
    """
    tokenizer = tokenizer_of(manifest, manifest_folder)
    found = vocabulary_sha256(tokenizer.get_vocab())
    if expected is not None and found != expected:
        raise DataError(
            f"the model of {manifest_folder} has another vocabulary than the one that the weights were computed with. "
            "Run snakemake again."
        )
    return names_of(tokenizer)


def names_of(tokenizer: PreTrainedTokenizerBase) -> TermName:
    """Column → token, as the vocabulary writes it, so that ``law`` and ``##law`` stay two.

    Byte-level vocabularies write bytes as letters, ``Ã§`` for ``ç``. Where the bytes of a token are text, this is it;
    a space before a word stays ``Ġ``. Columns that no token has, which pad a matrix, are called by their number.
    """
    token_of = {column: token for token, column in tokenizer.get_vocab().items()}
    decoder = json.loads(tokenizer.backend_tokenizer.to_str())["decoder"] if tokenizer.is_fast else None
    by_bytes = decoder is not None and decoder["type"] == "ByteLevel"

    def name(column: int) -> str:
        token: str = token_of.get(column, f"[{column}]")
        if not by_bytes:
            return token
        text: str = tokenizer.backend_tokenizer.decoder.decode([token])
        marked = f"{_SPACE}{text[1:]}" if text.startswith(" ") else text
        return token if _DAMAGED in marked or not marked.isprintable() else marked

    return name
