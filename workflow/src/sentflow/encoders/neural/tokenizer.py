"""Tokenizers of neural encoders, without their weights: where tokens lie in a text, and what terms are called."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, PreTrainedTokenizerBase
from transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES

from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.safety import modules_of
from sentflow.encoders.settings import SPLADE
from sentflow.encoders.vectors.sparse import TermName, vocabulary_sha256
from sentflow.errors import ConfigError, DataError, instead


class TokenSpans:
    """The tokens of texts, by a tokenizer that says where they are; those of one `sha256` cut every text alike."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokenizer = tokenizer
        self.sha256 = hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode()).hexdigest()

    def __call__(self, text: str) -> list[tuple[int, int]]:
        """Begin and end of each token in characters; neither what the model adds nor tokens of no character."""
        found = self._tokenizer(
            text,
            add_special_tokens=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            truncation=False,
            verbose=False,
        )
        return [(start, end) for start, end in found["offset_mapping"] if start < end]


def load_tokenizer(manifest: Manifest, model_files: Path | None, name: str) -> TokenSpans:
    """The tokenizer of a model of kind ``sentence-transformers``, ``transformers``, ``splade`` or ``sparse-embed``."""
    tokenizer = tokenizer_of(manifest, model_files)
    if not tokenizer.is_fast:
        raise ConfigError(
            f"the tokenizer of {name} does not say where its tokens are in a text. Write words instead "
            "of tokens in passages."
        )
    return TokenSpans(tokenizer)


def tokenizer_arguments(settings: Mapping[str, Any]) -> dict[str, str]:
    """What transformers is told of the tokenizer beside its files, for ``tokenizer_class`` of a manifest."""
    name = settings.get("tokenizer_class")
    if name is None:
        return {}
    # a class is asked for by the first type of model that has it
    type_of = {found: kind for kind, found in reversed(TOKENIZER_MAPPING_NAMES.items()) if found}
    for known in (name, name.removesuffix("Fast")):
        if known in type_of:
            return {"tokenizer_type": type_of[known]}
    raise ConfigError(
        f"tokenizer_class: {name!r} is no tokenizer of transformers. {instead(name, sorted(type_of))}"
    )


def tokenizer_of(manifest: Manifest, model_files: Path | None) -> PreTrainedTokenizerBase:
    """The same as transformers gives it, whatever it says."""
    folder = checked_folder(manifest, model_files)
    arguments = tokenizer_arguments(manifest.settings)
    modules = modules_of(folder) if manifest.kind in ("sentence-transformers", SPLADE) else []
    place = folder / modules[0][1] if modules else folder
    try:
        return AutoTokenizer.from_pretrained(
            str(place), local_files_only=True, trust_remote_code=False, **arguments
        )
    except (OSError, ValueError, KeyError, TypeError, ImportError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{place} holds no readable tokenizer ({reason}).") from error


# --- names of terms -----------------------------------------------------------------------------------------

_SPACE = "Ġ"  # how byte-level vocabularies write the space before a word
_DAMAGED = "\ufffd"  # what a part of a letter is decoded to


def term_names(manifest: Manifest, model_files: Path | None, expected: str | None = None) -> TermName:
    """The names of the terms of a model; `expected`: `vocabulary_sha256` that it must have, None is any."""
    tokenizer = tokenizer_of(manifest, model_files)
    found = vocabulary_sha256(tokenizer.get_vocab())
    if expected is not None and found != expected:
        raise DataError(
            "the model has another vocabulary than the one that the weights were computed with. Run snakemake again."
        )
    return names_of(tokenizer)


def names_of(tokenizer: PreTrainedTokenizerBase) -> TermName:
    """Column → token, as the vocabulary writes it; a column that no token has is called by its number.

    Byte-level vocabularies write bytes as letters, ``Ã§`` for ``ç``: where the bytes of a token are text, this is it,
    and a space before a word stays ``Ġ``.
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
