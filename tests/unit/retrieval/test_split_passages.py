"""Passages cover every word of a document, overlap as asked, lie between words, and have no more than asked."""

import re

from hypothesis import given
from hypothesis import strategies as st

from sentflow.config.collections import Cut
from sentflow.texts.corpora import Corpus
from sentflow.texts.split_passages import split_corpus

# Equal words would have several places in a text
WORDS = st.lists(st.text("abcdefg", min_size=1, max_size=14), min_size=1, max_size=25, unique=True)


def pieces(text):
    """Tokens of at most three letters of a word."""
    return [(found.start(), found.end()) for found in re.finditer(r"\S{1,3}", text)]


def parts(text, settings, title=""):
    corpus = Corpus("c", "raw", "en", ["d"], [title], [text])
    return split_corpus(corpus, "p", settings, *([pieces] if settings.tokens else [])).texts


def test_passages_by_words_overlap_and_cover_everything():
    corpus = Corpus("c", "raw", "en", ["d", "e", "f"], [""] * 3, ["a b  c d e f g", "h", ""])
    found = split_corpus(corpus, "p", Cut(words=3, overlap=1))
    assert found.texts == ["a b  c", "c d e", "e f g", "h"]
    assert found.documents.tolist() == [0, 0, 0, 1]
    for words, overlap in [(1, 0), (4, 0), (4, 3), (7, 2)]:
        for n in range(1, 30):
            text = " ".join(f"w{i}" for i in range(n))
            split = [part.split() for part in parts(text, Cut(words=words, overlap=overlap))]
            assert list(dict.fromkeys(word for part in split for word in part)) == text.split()
            assert all(len(part) <= words for part in split)
            assert all(not set(after) <= set(before) for before, after in zip(split, split[1:], strict=False))


def test_each_passage_begins_with_the_title_unless_it_must_not():
    assert parts("a b", Cut(words=1), title="T") == ["T a", "T b"]
    assert parts("a b", Cut(words=1, title=False), title="T") == ["a", "b"]


@given(WORDS, st.integers(5, 12), st.integers(0, 4))
def test_passages_have_at_most_their_tokens_and_whole_words_in_order(words, tokens, overlap):
    found = parts("  ".join(words), Cut(tokens=tokens, overlap=overlap))
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
    found = parts("x" * 250_000, Cut(tokens=100))
    assert "".join(found) == "x" * 250_000
    assert {len(pieces(part)) for part in found[:-1]} == {100}
    assert parts("aaabbb ccc ddd eee", Cut(tokens=3, overlap=1)) == ["aaabbb ccc", "ccc ddd eee"]
