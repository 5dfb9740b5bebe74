"""Probes that see too little of a row to know its label."""

import numpy as np

from sentflow.audit.leaks import leaks

RNG = np.random.default_rng(3)
LABELS = RNG.permutation([0, 1] * 100).tolist()
WORDS = np.array(["lei", "prazo", "juiz", "multa", "bem", "dano", "pena", "voto"])
NOBODY = [None] * len(LABELS)


def texts(sizes: list[int]) -> list[str]:
    return [" ".join(RNG.choice(WORDS, size)) for size in sizes]


EQUAL = texts([6] * len(LABELS))


def test_texts_that_do_not_depend_on_the_label_are_near_chance():
    found = leaks(EQUAL, texts([6] * len(LABELS)), LABELS, NOBODY)
    assert set(found) == {"lengths", "punctuation", "text_a", "text_b", "length_difference"}
    assert all(abs(one.mcc) < 3 * one.error for one in found.values())


def test_a_label_in_length_or_punctuation_is_found():
    of_length = texts([4 + 6 * label for label in LABELS])
    assert leaks(of_length, None, LABELS, NOBODY)["lengths"].mcc > 0.9
    marked = [text + "!" * label for text, label in zip(EQUAL, LABELS, strict=True)]
    assert leaks(marked, None, LABELS, NOBODY)["punctuation"].mcc > 0.9


def test_a_label_in_one_side_is_found_there_alone():
    told = [f"{text} {'novo' if label else 'velho'}" for text, label in zip(EQUAL, LABELS, strict=True)]
    found = leaks(EQUAL, told, LABELS, NOBODY)
    assert found["text_b"].mcc > 0.9
    assert abs(found["text_a"].mcc) < 3 * found["text_a"].error
