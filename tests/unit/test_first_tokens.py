"""Where the classification token stands, and which class of tokenizer decides it."""

import json

import numpy as np
import pytest
from tiny_bert import TEXTS, save_tiny_bert
from transformers import XLNetTokenizer

from sentflow.config.model import mistakes
from sentflow.encoders.entries import fetch_settings
from sentflow.encoders.fetch import fetch_model
from sentflow.encoders.kind import Context, load_encoder
from sentflow.encoders.neural.tokenizer import tokenizer_of
from sentflow.encoders.settings import Model
from sentflow.errors import ConfigError

PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "▁lei", "▁ação", "▁projeto", "▁não", "▁saúde", "▁:")


@pytest.fixture
def folder(tmp_path):
    """A BERT whose files name the tokenizer of XLNet, as those of KoBERT do."""
    made = save_tiny_bert(tmp_path / "model")
    (made / "tokenizer.json").unlink()
    about = json.loads((made / "tokenizer_config.json").read_text())
    (made / "tokenizer_config.json").write_text(json.dumps({**about, "tokenizer_class": "XLNetTokenizer"}))
    return made


def loaded(folder, kind="transformers", pooling="cls", **more):
    entry = {"kind": kind, "source": {"folder": str(folder)}, **more}
    assert not mistakes(Model, entry, where="mine")
    manifest = fetch_model("mine", fetch_settings(entry), folder.parent)
    encoder = load_encoder(manifest, {"pooling": pooling}, Context(manifest_folder=folder.parent))
    return manifest, encoder.encode(TEXTS, role="text", task=None)


@pytest.mark.parametrize("kind", ["transformers", "sentence-transformers"])
def test_a_named_class_reads_the_files_of_the_tokenizer(folder, tmp_path, kind):
    manifest, found = loaded(folder, kind, tokenizer_class="BertTokenizerFast")
    _, expected = loaded(save_tiny_bert(tmp_path / "right"), kind)
    assert np.array_equal(found, expected)
    assert tokenizer_of(manifest, folder.parent)("lei")["input_ids"] == [2, 5, 3]


def test_the_first_token_is_not_taken_for_the_text_where_it_is_a_word(folder, tmp_path):
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    own = XLNetTokenizer(vocab=[(piece, -1.0) for piece in PIECES], unk_id=1, **special)
    own.save_pretrained(folder)
    message = r"XLNetTokenizer gives .* \[SEP\] \[CLS\], where it is not \[CLS\]"
    with pytest.raises(ConfigError, match=message):
        loaded(folder)
    loaded(folder, pooling="mean")


def test_a_class_that_transformers_does_not_have_is_told_with_the_nearest(folder):
    message = "tokenizer_class: 'AlbertTokeniser' .* Did you mean AlbertTokenizer"
    with pytest.raises(ConfigError, match=message):
        loaded(folder, tokenizer_class="AlbertTokeniser")
