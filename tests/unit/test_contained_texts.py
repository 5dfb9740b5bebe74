"""Texts that contain known ones or are contained in them, against comparing every pair."""

import numpy as np
import pytest

from sentflow.audit.contained import LEAST_CHARACTERS, KnownTexts
from sentflow.audit.ngrams import plain

LAW = "Esta Lei institui o Sistema Nacional de Políticas Públicas sobre Drogas e prescreve medidas para prevenção."


def grams(text: str) -> set[str]:
    padded = f" {plain(text)} ".ljust(5)
    return {padded[place : place + 5] for place in range(len(padded) - 4)}


def compared_one_by_one(known: list[str], text: str, share: float) -> int:
    """The first known text that is equal; nearly equal, if one is short; contains the text, or is contained in it."""
    for place, one in enumerate(known):
        if plain(one) == plain(text):
            return place
    for place, one in enumerate(known):
        shared, either = grams(text) & grams(one), grams(text) | grams(one)
        is_short = min(len(plain(text)), len(plain(one))) < LEAST_CHARACTERS
        if is_short and len(shared) >= share * len(either) - 1e-9:
            return place
    for place, one in enumerate(known):
        smaller, larger = sorted((text, one), key=lambda side: len(grams(side)))
        if len(plain(smaller)) < LEAST_CHARACTERS:
            continue
        if len(grams(smaller) & grams(larger)) >= share * len(grams(smaller)) - 1e-9:
            return place
    return -1


def test_a_text_within_a_known_one_and_around_one_is_found():
    known = KnownTexts([LAW], share=0.8)
    assert known.found_in(
        [f"Art. 1. {LAW} Parágrafo único. {'Outra frase sobre outro assunto. ' * 9}"]
    ).tolist() == [0]
    assert known.found_in([LAW[:60]]).tolist() == [0]


def test_a_text_with_a_masked_word_is_found():
    assert KnownTexts([LAW.replace("Drogas", "[MASCARA]")], share=0.8).found_in([LAW]).tolist() == [0]


def test_another_text_is_not_found():
    other = "Altera o Código de Trânsito Brasileiro e dá outras providências."
    assert KnownTexts([LAW], share=0.8).found_in([other]).tolist() == [-1]


def test_short_texts_must_be_nearly_equal_and_may_be_within_others():
    known = KnownTexts(["Inexigibilidade.", "EXAGERADO."], share=0.8)
    asked = ["exagerado", "Isso é exagerado.", "e inexigibilidade", "a inexigibilidade da multa de trânsito"]
    assert known.found_in(asked).tolist() == [1, -1, 0, -1]


def test_a_long_text_that_is_nearly_a_short_one_is_found():
    short, long = "dispõe sobre a profissão de guarda", "dispõe sobre a profissão de guarda parque"
    assert len(short) < LEAST_CHARACTERS <= len(long)
    assert KnownTexts([short], share=0.8).found_in([long]).tolist() == [0]
    assert KnownTexts([long], share=0.8).found_in([short]).tolist() == [0]


def test_without_known_texts_nothing_is_found_and_nothing_is_asked_gives_nothing():
    assert KnownTexts([], share=0.8).found_in([LAW]).tolist() == [-1]
    assert KnownTexts([LAW], share=0.8).found_in([]).tolist() == []


@pytest.mark.parametrize("share", [0.5, 0.8, 1.0])
def test_random_texts_as_comparing_every_pair(share):
    draws = np.random.default_rng(7)
    words = [f"palavra{number}" for number in range(60)] + ["de", "da", "Lei", "ção"]
    texts = [" ".join(draws.choice(words, draws.integers(1, 14))) for _ in range(60)]
    asked = [
        *(" ".join(draws.choice(words, draws.integers(1, 14))) for _ in range(30)),
        *(" ".join([*draws.choice(words, 3), *text.split()[: draws.integers(1, 12)]]) for text in texts[:30]),
        *(text.upper() for text in texts[:5]),
    ]
    found = KnownTexts(texts, share=share).found_in(asked).tolist()
    assert found == [compared_one_by_one(texts, text, share) for text in asked]
    assert max(found) >= 0
    assert min(found) < 0
