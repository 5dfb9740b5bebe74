"""Sample texts to train on: their sizes, their seeds, and that no test shows them."""

import functools

import pytest

from sentflow.audit.ngrams import ngram_sets, plain
from sentflow.audit.similar import similar_pairs
from sentflow.errors import ConfigError
from sentflow.texts.sample.pairs import RECIPES, generate_pairs
from sentflow.texts.sample.training import FILES, N_PARAPHRASES, N_SENTENCES, training_file

every_file = pytest.mark.parametrize("file", FILES)


@functools.cache
def lines(file: str) -> list[str]:
    return training_file(file, seed=1).splitlines()


@every_file
def test_same_seed_gives_the_same_bytes_and_another_seed_other_rows(file):
    first, again, other = (training_file(file, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_sentences_are_distinct_and_of_some_length():
    sentences = lines("training-sentences")
    assert len(sentences) == len(set(map(plain, sentences))) == N_SENTENCES
    assert all(len(sentence.split()) >= 6 and sentence.endswith(".") for sentence in sentences)


def test_paraphrases_say_one_fact_of_one_place_and_time_in_other_words():
    header, *rows = (line.split("\t") for line in lines("training-paraphrases"))
    assert header == ["text", "other"]
    assert len(rows) == len({tuple(row) for row in rows}) == N_PARAPHRASES
    assert all(text != other for text, other in rows)
    overlap = [
        len(set(plain(a).split()) & set(plain(b).split())) / len(set(plain(a + " " + b).split()))
        for a, b in rows
    ]
    assert 0.2 < sum(overlap) / len(overlap) < 0.6  # place and time, and few words more


def test_no_sample_pair_set_has_one_of_the_sentences_or_nearly_so():
    tests = [
        text
        for name, recipe in RECIPES.items()
        if recipe.language == "english"
        for pairs in [generate_pairs(name, seed=1)]
        for text in (*pairs.text_a, *pairs.text_b)
    ]
    texts = [
        *lines("training-sentences"),
        *(t for line in lines("training-paraphrases") for t in line.split("\t")),
    ]
    found = similar_pairs(ngram_sets([[*texts, *tests]]), threshold=0.6, first_below=len(texts))
    assert (found.second < len(texts)).all()


def test_a_negative_seed_is_refused():
    with pytest.raises(ConfigError, match="The seed of sample data is -1"):
        training_file("training-sentences", seed=-1)
