"""Probes that see too little of a row to know its label."""

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("lengths", texts([4 + 6 * label for label in LABELS])),
        ("punctuation", [text + "!" * label for text, label in zip(EQUAL, LABELS, strict=True)]),
    ],
)
def test_a_label_in_length_or_punctuation_is_found(kind, made):
    assert leaks(made, None, LABELS, NOBODY)[kind].mcc > 0.9


@pytest.mark.parametrize("side", ["text_a", "text_b"])
def test_a_label_in_one_side_is_found_there_alone(side):
    told = [f"{text} {'novo' if label else 'velho'}" for text, label in zip(EQUAL, LABELS, strict=True)]
    sides = {"text_a": EQUAL, "text_b": EQUAL, side: told}
    found = leaks(sides["text_a"], sides["text_b"], LABELS, NOBODY)
    (other,) = {"text_a", "text_b"} - {side}
    assert found[side].mcc > 0.9
    assert abs(found[other].mcc) < 3 * found[other].error


def test_pairs_of_equal_length_are_found_by_their_difference():
    sizes = RNG.integers(4, 30, len(LABELS)).tolist()
    others = [size if label else size + 12 for size, label in zip(sizes, LABELS, strict=True)]
    assert leaks(texts(sizes), texts(others), LABELS, NOBODY)["length_difference"].mcc > 0.9


def test_a_text_known_from_its_document_tells_nothing_of_new_documents():
    groups = [number // 2 for number in range(len(LABELS))]
    labels = RNG.permutation([0, 1] * 50).repeat(2).tolist()
    named = [f"documento{group}" for group in groups]
    found = leaks(named, named, labels, groups)
    assert found["text_a"].mcc < 3 * found["text_a"].error
    assert found["text_a"].error == pytest.approx(0.1)
