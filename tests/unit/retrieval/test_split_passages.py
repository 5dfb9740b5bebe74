"""Passages cover every word of a document, overlap as asked, and are written as they were."""

import pytest

from sentflow.errors import ConfigError
from sentflow.texts.corpora import Corpus, read_passages, write_passages
from sentflow.texts.split_passages import PassageSettings, split_corpus


def corpus(*texts, titles=None):
    return Corpus(
        "c", "raw", "en", [f"d{i}" for i in range(len(texts))], titles or [""] * len(texts), [*texts]
    )


def test_passages_overlap_and_cover_everything():
    found = split_corpus(corpus("a b  c d e f g", "h"), "p", PassageSettings(words=3, overlap=1))
    assert found.texts == ["a b  c", "c d e", "e f g", "h"]
    assert found.documents.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("n", range(1, 30))
@pytest.mark.parametrize("words, overlap", [(1, 0), (4, 0), (4, 3), (7, 2)])
def test_every_word_is_in_a_passage_and_no_passage_repeats_another(n, words, overlap):
    text = " ".join(f"w{i}" for i in range(n))
    parts = [part.split() for part in split_corpus(corpus(text), "p", PassageSettings(words, overlap)).texts]
    assert list(dict.fromkeys(word for part in parts for word in part)) == text.split()
    assert all(len(part) <= words for part in parts)
    assert all(not set(after) <= set(before) for before, after in zip(parts, parts[1:], strict=False))


def test_each_passage_begins_with_the_title_unless_it_must_not():
    titled = corpus("a b", titles=["T"])
    assert split_corpus(titled, "p", PassageSettings(1)).texts == ["T a", "T b"]
    assert split_corpus(titled, "p", PassageSettings(1, title=False)).texts == ["a", "b"]


def test_a_document_without_text_is_its_title_or_nothing():
    found = split_corpus(corpus("", "", titles=["T", ""]), "p", PassageSettings(3))
    assert (found.texts, found.documents.tolist()) == (["T"], [0])


def test_the_file_holds_everything(tmp_path):
    found = split_corpus(corpus("a b c", "d"), "p", PassageSettings(2))
    write_passages(tmp_path / "p.parquet", found)
    again = read_passages(tmp_path / "p.parquet")
    assert (again.texts, again.documents.tolist(), again.corpus, again.passages) == (
        found.texts, found.documents.tolist(), "c", "p",
    )  # fmt: skip


def test_numbers_that_cannot_be_meant():
    with pytest.raises(ConfigError, match="passages.p: passages of 3 words that overlap by 3"):
        PassageSettings(3, 3).check("passages.p")
