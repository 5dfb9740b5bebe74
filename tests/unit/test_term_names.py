"""What the terms of a vocabulary are called."""

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from sentflow.encoders.manifest import Manifest
from sentflow.encoders.neural.tokenizer import term_names
from sentflow.encoders.vectors.sparse import vocabulary_sha256
from sentflow.errors import DataError


def saved(folder, model, decoder):
    """The manifest of a model that would have this tokenizer."""
    tokenizer = Tokenizer(model)
    tokenizer.decoder = decoder
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return Manifest(None, kind="splade", source={"folder": str(folder)})


def as_letters(text):
    """How byte-level vocabularies write a text."""
    [(written, _)] = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    return written


def test_bytes_are_called_by_the_text_that_they_are(tmp_path):
    written = [as_letters(text) for text in ("lei", " lei", "ação", " ação", "법", "\n", " ")]
    assert written[1:4] == ["Ġlei", "aÃ§Ã£o", "ĠaÃ§Ã£o"]
    half = written[4][:2]  # two of the three bytes of a letter are no text
    tokens = {token: column for column, token in enumerate([*written, half])}
    name = term_names(saved(tmp_path / "b", models.BPE(tokens, []), decoders.ByteLevel()), tmp_path)
    assert [name(column) for column in range(len(tokens))] == [
        "lei",
        "Ġlei",
        "ação",
        "Ġação",
        "법",
        "Ċ",
        "Ġ",
        half,
    ]


def test_weights_of_another_vocabulary_are_not_named(tmp_path):
    vocabulary = {"[UNK]": 0, "lei": 1}
    manifest = saved(tmp_path / "w", models.WordPiece(vocabulary, unk_token="[UNK]"), decoders.WordPiece())
    own = vocabulary_sha256(vocabulary)
    assert term_names(manifest, tmp_path, own)(1) == "lei"
    with pytest.raises(DataError, match="has another vocabulary than the one that the weights"):
        term_names(manifest, tmp_path, vocabulary_sha256({"[UNK]": 1, "lei": 0}))
