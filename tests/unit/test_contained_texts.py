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
    """The first known text that is equal, contains the text, or is contained in it."""
    for place, one in enumerate(known):
        if plain(one) == plain(text):
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


def test_short_texts_must_be_equal():
    known = KnownTexts(["EXAGERADO."], share=0.8)
    assert known.found_in(["exagerado", "Isso é exagerado."]).tolist() == [0, -1]


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
