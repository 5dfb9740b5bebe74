"""Sample pair sets: their grades, their sizes, and that overlap of words alone does not tell the grades."""

import functools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import spearmanr

from sentflow.errors import ConfigError
from sentflow.texts.sample.pairs import RECIPES, SamplePairs, Source, generate_pairs, sources, to_tsv

every_set = pytest.mark.parametrize("name", RECIPES)


@functools.cache
def sample(name: str) -> SamplePairs:
    return generate_pairs(name, seed=1)


@every_set
def test_same_seed_gives_the_same_bytes_and_another_seed_other_rows(name):
    first, again, other = (to_tsv(generate_pairs(name, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@every_set
def test_sources_have_their_numbers_of_pairs_and_no_pair_occurs_twice(name):
    recipe, pairs = RECIPES[name], sample(name)
    assert Counter(pairs.subset) == {source["name"]: recipe.rows_per_source for source in recipe.sources}
    assert len(set(zip(pairs.subset, pairs.text_a, pairs.text_b, strict=True))) == len(pairs)
    assert 140 <= len(pairs) <= 240


@every_set
def test_scores_cover_the_scale_evenly_in_steps_of_a_tenth(name):
    scores = np.array(sample(name).scores)
    least = RECIPES[name].least
    assert (scores.min(), scores.max()) == (least, 5)
    np.testing.assert_array_equal(scores, scores.round(1))
    high = (scores >= least + (5 - least) * 0.5).mean()
    assert 0.4 <= high <= 0.6  # half of the six levels


@every_set
def test_overlap_of_words_says_something_of_the_score_but_not_all(name):
    pairs = sample(name)
    words = [
        tuple(set(text.lower().strip(".").replace(",", "").split()) for text in pair)
        for pair in zip(pairs.text_a, pairs.text_b, strict=True)
    ]
    overlap = [len(a & b) / len(a | b) for a, b in words]
    assert 0.1 < spearmanr(overlap, pairs.scores).statistic < 0.5


@every_set
def test_sentences_are_clean(name):
    pairs = sample(name)
    for text in (*pairs.text_a, *pairs.text_b):
        assert text == text.strip()
        assert text.endswith(".")
        assert text[0] == text[0].upper()
        assert not {"\t", "\n", '"', "{"} & set(text)
        assert "  " not in text


@pytest.mark.parametrize(
    "source", [*sources("english"), *sources("portuguese")], ids=lambda source: source["name"]
)
def test_a_fact_has_wordings_of_its_own(source: Source):
    wordings = [wording for theme in source["themes"] for fact in theme for wording in fact]
    assert len(set(wordings)) == len(wordings)
    for theme in source["themes"]:
        for fact in theme:
            first, *_, last = (set(wording.split()) for wording in fact)
            assert len(first & last) / len(first | last) < 0.4, fact


def test_same_meaning_has_the_same_place_and_time_and_a_middle_score_has_others():
    pairs = sample("STS12")
    for subset, text_a, text_b, score in zip(
        pairs.subset, pairs.text_a, pairs.text_b, pairs.scores, strict=True
    ):
        (source,) = [source for source in sources("english") if source["name"] == subset]
        named = [{place for place in source["places"] if place in text} for text in (text_a, text_b)]
        if score > 4.4:
            assert named[0] == named[1]
        if 2.4 < score <= 3.4:
            assert named[0] != named[1]


def test_file_has_a_header_and_no_quotes():
    lines = to_tsv(sample("STSB-pt-test")).splitlines()
    assert lines[0].split("\t") == ["subset", "text_a", "text_b", "score"]
    assert {line.count("\t") for line in lines} == {3}
    assert len(lines) == len(sample("STSB-pt-test")) + 1


def test_unknown_set_and_negative_seed_are_refused():
    with pytest.raises(ConfigError, match="no sample pairs for 'STS99'"):
        generate_pairs("STS99", seed=1)
    with pytest.raises(ConfigError, match="seed of sample data is -1"):
        generate_pairs("STS12", seed=-1)
