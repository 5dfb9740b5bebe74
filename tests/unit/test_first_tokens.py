"""Where the classification token stands, and which class of tokenizer decides it."""

import json
import re

import numpy as np
import pytest
from experiments import REPOSITORY, experiment
from tiny_bert import TEXTS, save_tiny_bert
from transformers import AlbertTokenizer, XLNetTokenizer

from sentflow.api.data import catalog
from sentflow.cli.local_files import model_problems
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
    encoder = load_encoder(manifest, {"pooling": pooling}, Context())
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


def test_kobert_reads_as_its_pieces_say_after_the_documented_lines(tmp_path, monkeypatch):
    made = save_tiny_bert(tmp_path / "models/ko-bert")
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (made / name).unlink()
    (made / "spiece.model").touch()
    monkeypatch.chdir(tmp_path)
    entry = {**catalog("models")["ko-bert"], "source": {"folder": "models/ko-bert"}}
    asked = experiment({"models": {"ko-bert": entry}, "select": {"models": ["ko-bert"]}})
    assert ["tokenizer.json" in str(one) for one in model_problems(asked)] == [True]
    # as in its own vocabulary, whose padding has the number that transformers takes for unknown words
    pieces = ("[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", "▁한국", "어")
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    read = AlbertTokenizer(vocab=[(piece, -1.0) for piece in pieces], keep_accents=True, **special)
    assert read("한국어 뷁")["input_ids"] == [2, 5, 6, 1, 3]
    monkeypatch.setattr(
        AlbertTokenizer, "from_pretrained", lambda *_, **__: read
    )  # which sentencepiece reads
    docs = (REPOSITORY / "docs/models.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"```python\n(import json\nfrom tokenizers.*?)```", docs, re.DOTALL)
    exec(lines, {})  # noqa: S102
    assert list(model_problems(asked)) == []
    manifest = fetch_model("mine", fetch_settings(entry), tmp_path)
    assert tokenizer_of(manifest, tmp_path)("한국어 뷁")["input_ids"] == [2, 5, 6, 0, 3]


@pytest.mark.parametrize(("about", "refused"), [(None, True), ({"do_lower_case": False}, False)])
def test_a_vocabulary_of_syllables_needs_a_word_on_lower_case(tmp_path, about, refused):
    made = save_tiny_bert(tmp_path / "kr-bert")
    (made / "tokenizer.json").unlink()
    (made / "tokenizer_config.json").unlink()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "법", "##률", "l", "e", "i", ":"]
    (made / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    if about:
        (made / "tokenizer_config.json").write_text(json.dumps(about))
    entry = {**catalog("models")["kr-bert"], "source": {"folder": str(made)}}
    problems = list(
        model_problems(experiment({"models": {"kr-bert": entry}, "select": {"models": ["kr-bert"]}}))
    )
    assert ["do_lower_case" in str(one) for one in problems] == [True] * refused
    manifest = fetch_model("mine", fetch_settings(entry), tmp_path)
    found = tokenizer_of(manifest, tmp_path)("법률")["input_ids"]
    assert found == ([2, 1, 3] if refused else [2, 5, 6, 3])
