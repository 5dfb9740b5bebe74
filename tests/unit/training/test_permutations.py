from collections import Counter

import pytest

from sentflow.training.draws import Draws
from sentflow.training.views.permutations import shuffled_tokens, shuffled_words

TEXT = "uma lei, uma ação e dois projetos de lei"
IDS = [2, 5, 7, 7, 9, 10, 3]


@pytest.mark.parametrize("seed", range(5))
def test_words_and_tokens_are_the_same_in_another_order(seed):
    assert Counter(shuffled_words(TEXT, Draws(seed)).split(" ")) == Counter(TEXT.split(" "))
    assert sorted(shuffled_tokens(IDS, Draws(seed))) == sorted(IDS)


def test_an_order_is_a_function_of_the_draws():
    texts, ids = (
        {tuple(made(Draws(seed))) for seed in range(20)}
        for made in (lambda draws: shuffled_words(TEXT, draws), lambda draws: shuffled_tokens(IDS, draws))
    )
    assert len(texts) > 15 and len(ids) > 15
    assert shuffled_words(TEXT, Draws(3)) == shuffled_words(TEXT, Draws(3))
    assert shuffled_tokens(IDS, Draws(3)) == shuffled_tokens(IDS, Draws(3))


def test_one_word_stays_as_it_is():
    assert shuffled_words("lei", Draws(1)) == "lei"
    assert shuffled_words("", Draws(1)) == ""
    assert shuffled_tokens([], Draws(1)) == []


def test_the_first_token_is_not_always_the_first_one():
    assert {shuffled_tokens(IDS, Draws(seed))[0] for seed in range(50)} == set(IDS)


def test_fixed_tokens_keep_their_place_wherever_it_is():
    for seed in range(20):
        found = shuffled_tokens(IDS, Draws(seed), fixed={2, 3})
        assert (found[0], found[-1]) == (2, 3)
        assert sorted(found) == sorted(IDS)
    assert shuffled_tokens([2, 5, 3], Draws(0), fixed={2, 3}) == [2, 5, 3]
