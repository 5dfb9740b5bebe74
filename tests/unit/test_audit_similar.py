"""Near duplicates: every pair that brute force finds, and no other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentflow.audit.ngrams import LENGTH, ngram_sets, plain
from sentflow.audit.similar import similar_pairs

words = st.sampled_from(["lei", "ação", "câmara", "voto", "São", "é", "projeto", "n", "🙂", "!!"])
texts = st.lists(st.lists(words, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=12)


def grams(text: str) -> set[str]:
    padded = f" {plain(text)} ".ljust(LENGTH)
    return {padded[start : start + LENGTH] for start in range(len(padded) - LENGTH + 1)}


def jaccard(one: str, two: str) -> float:
    a, b = grams(one), grams(two)
    return len(a & b) / len(a | b)


def by_force(sides: list[list[str]], threshold: float) -> dict[tuple[int, int], float]:
    found = {}
    for i in range(len(sides[0])):
        for j in range(i + 1, len(sides[0])):
            least = min(jaccard(side[i], side[j]) for side in sides)
            if least >= threshold:
                found[i, j] = least
    return found


def found_by(sides: list[list[str]], threshold: float) -> dict[tuple[int, int], float]:
    pairs = similar_pairs(ngram_sets(sides), threshold=threshold)
    rows = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return dict(zip(rows, pairs.similarity.tolist(), strict=True))


@given(texts, st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_single_texts_are_paired_as_by_brute_force(side, threshold):
    assert found_by([side], threshold) == pytest.approx(by_force([side], threshold))


@given(texts, texts, st.sampled_from([0.5, 0.8]))
def test_of_two_texts_both_must_be_similar(side_a, side_b, threshold):
    n = min(len(side_a), len(side_b))
    sides = [side_a[:n], side_b[:n]]
    assert found_by(sides, threshold) == pytest.approx(by_force(sides, threshold))


def test_many_rows_in_chunks_are_paired_as_in_one(monkeypatch):
    generator = np.random.default_rng(0)
    vocabulary = [f"palavra{k}" for k in range(30)]
    side = [" ".join(generator.choice(vocabulary, size=12)) for _ in range(60)]
    side += [text.replace("palavra1 ", "palavra2 ") for text in side]
    whole = found_by([side], 0.8)
    assert len(whole) >= 10
    monkeypatch.setattr("sentflow.audit.similar._CHUNK", 7)
    assert found_by([side], 0.8) == whole == pytest.approx(by_force([side], 0.8))


def test_similarity_sees_neither_case_nor_punctuation_nor_spaces():
    assert found_by([["Não  concordo, senhor!", "não concordo senhor"]], 1.0) == {(0, 1): 1.0}


def test_one_changed_word_in_fifteen_is_near():
    base = "o projeto de lei que trata da saúde pública foi aprovado ontem pela câmara dos deputados"
    assert (0, 1) in found_by([[base, base.replace("ontem", "hoje")]], 0.8)
    assert found_by([[base, "nada disso tem a ver com aquilo que se disse"]], 0.3) == {}


def test_texts_of_signs_alone_stay_apart():
    assert found_by([["🙂🙂🙂", "!!!", "🙂🙂🙂 "]], 0.8) == {(0, 2): 1.0}


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.5])
def test_threshold_outside_its_range_is_refused(threshold):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        similar_pairs(ngram_sets([["a"]]), threshold=threshold)
