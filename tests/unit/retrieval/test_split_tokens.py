"""Passages by tokens have no more of them than asked, cover every word, and lie between words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentflow.errors import ConfigError
from sentflow.texts.corpora import Corpus
from sentflow.texts.split_passages import PassageSettings, split_corpus

# Equal words would have several places in a text
WORDS = st.lists(st.text("abcdefg", min_size=1, max_size=14), min_size=1, max_size=25, unique=True)


def pieces(text):
    """Tokens of at most three letters of a word."""
    return [(found.start(), found.end()) for found in re.finditer(r"\S{1,3}", text)]


def parts(text, settings):
    corpus = Corpus("c", "raw", "en", ["d"], [""], [text])
    return split_corpus(corpus, "p", settings, pieces).texts


@given(WORDS, st.integers(5, 12), st.integers(0, 4))
def test_passages_have_at_most_their_tokens_and_whole_words_in_order(words, tokens, overlap):
    found = parts("  ".join(words), PassageSettings(tokens=tokens, overlap=overlap))
    assert all(len(pieces(part)) <= tokens for part in found)
    place = 0  # the first word that no passage has yet
    for part in found:
        own = part.split()
        # no word has more than five tokens, so that none need be cut; a passage goes on where the last one ended, or
        # before, by no more than the overlap
        starts = [start for start in range(place + 1) if words[start : start + len(own)] == own]
        shared = [sum(len(pieces(word)) for word in words[start:place]) for start in starts]
        assert starts and min(shared) <= overlap
        place = max(place, starts[-1] + len(own))
    assert place == len(words)


def test_a_word_that_is_longer_than_a_passage_is_cut_between_its_tokens_and_nothing_is_lost():
    found = parts("x" * 250_000, PassageSettings(tokens=100))
    assert "".join(found) == "x" * 250_000
    assert {len(pieces(part)) for part in found[:-1]} == {100}


def test_the_overlap_is_in_tokens():
    assert parts("aaabbb ccc ddd eee", PassageSettings(tokens=3, overlap=1)) == ["aaabbb ccc", "ccc ddd eee"]


def test_a_passage_has_words_or_tokens_and_says_which_are_wrong():
    with pytest.raises(ConfigError, match="passages.p: passages of 3 tokens that overlap by 3"):
        PassageSettings(tokens=3, overlap=3).check("passages.p")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A model with a tokenizer and no more, and its manifest."""
    from tiny_bert import WORDS as VOCABULARY
    from transformers import BertTokenizerFast

    from sentflow.encoders.manifest import Manifest

    def make(words, name):
        folder = tmp_path_factory.mktemp(name)
        (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
        BertTokenizerFast(str(folder / "vocab.txt"), strip_accents=False).save_pretrained(folder)
        return folder, Manifest("transformers", 8, {"folder": str(folder)})

    return make(VOCABULARY, "tiny"), make([*VOCABULARY, "direito"], "other")


def test_tokens_of_a_model_are_counted_where_they_lie(tiny, tmp_path):
    from sentflow.encoders.kinds.neural.tokenizer import load_tokenizer

    (_, manifest), (_, other) = tiny
    tokenizer = load_tokenizer(manifest, tmp_path)
    assert tokenizer("lei:  saúde") == [(0, 3), (3, 4), (6, 11)]
    corpus = Corpus("c", "raw", "pt", ["d"], ["não"], ["lei: saúde não projeto"])
    found = split_corpus(corpus, "p", PassageSettings(tokens=3, overlap=1), tokenizer)
    assert found.texts == ["não lei: saúde", "não saúde não projeto"]
    assert (
        load_tokenizer(manifest, tmp_path).sha256
        == tokenizer.sha256
        != load_tokenizer(other, tmp_path).sha256
    )


def test_the_file_of_passages_says_by_which_tokenizer_they_were_cut(tiny, tmp_path, monkeypatch):
    from sentflow.commands import split_tokens
    from sentflow.encoders.manifest import write_manifest
    from sentflow.files.parquet import read_described
    from sentflow.texts.corpora import read_passages, write_corpus

    monkeypatch.chdir(tmp_path)
    (_, manifest), _ = tiny
    write_manifest(tmp_path / "manifest.json", manifest)
    write_corpus(tmp_path / "c.parquet", Corpus("c", "raw", "pt", ["d"], [""], ["lei saúde não"]))
    split_tokens.main(
        [
            *("--corpus", "c.parquet", "--passages", "p/tiny", "--manifest", "manifest.json"),
            *("--settings", '{"tokens": 2, "overlap": 1}', "--output", "p.parquet"),
        ]
    )
    assert read_passages("p.parquet").texts == ["lei saúde", "saúde não"]
    assert len(read_described("p.parquet")[0]["tokenizer_sha256"]) == 64
