"""Similarities of pairs: by vectors and by shared words."""

import math

import numpy as np
import pytest

from sentflow.similarity.measures import pair_similarities
from sentflow.similarity.scores import graph_of, overlap
from sentflow.texts.pairs import PairInfo, PairTable

VECTORS = np.array([[3, 4], [4, 3], [0, 0], [-3, -4], [6, 8]], np.float32)


def test_measures_by_hand():
    found = pair_similarities(VECTORS, np.array([0, 0, 0]), np.array([1, 3, 4])).columns
    assert found["cosine"].tolist() == [0.96, -1.0, 1.0]  # 24/25
    assert found["euclidean"] == pytest.approx([-math.sqrt(2), -10.0, -5.0])
    assert found["manhattan"].tolist() == [-2.0, -14.0, -7.0]
    assert found["dot"].tolist() == [24.0, -25.0, 50.0]


def test_cosine_with_a_zero_vector_is_0_and_counted():
    found = pair_similarities(VECTORS, np.array([0, 2, 2]), np.array([2, 2, 1]))
    assert found.columns["cosine"].tolist() == [0.0, 0.0, 0.0]
    assert found.n_zero == 3


def test_equal_sentences_are_ties():
    vectors = np.random.default_rng(1).normal(size=(200, 384)).astype(np.float32)
    rows = np.arange(200)
    assert set(pair_similarities(vectors, rows, rows).columns["cosine"]) == {1.0}


def test_overlap_by_hand():
    # a b b | b c: one of three words is shared; 2 / √(5 · 2)
    assert overlap("jaccard-words", ["a b b"], ["b c"]).tolist() == [1 / 3]
    assert overlap("count-cosine", ["a b b"], ["b c"]) == pytest.approx([2 / math.sqrt(10)])
    # ab bb | bc, the spaces left out: abb has ab and bb, bc has bc
    assert overlap("jaccard-bigrams", ["a bb"], ["ab c"]).tolist() == [1 / 3]


def test_case_counts_unless_said_otherwise():
    assert overlap("jaccard-words", ["Ação"], ["ação"]).tolist() == [0.0]
    assert overlap("jaccard-words-lowercase", ["Ação"], ["ação"]).tolist() == [1.0]
    assert overlap("jaccard-bigrams-lowercase", ["Ação"], ["ação"]).tolist() == [1.0]


def test_texts_without_any_unit_share_nothing():
    assert overlap("jaccard-bigrams", ["a", "a"], ["a", "ab"]).tolist() == [0.0, 0.0]
    assert overlap("count-cosine", [" "], ["a"]).tolist() == [0.0]


def test_equal_fractions_are_ties():
    # 1/√2 both: 3 of 9 · 2 words, and 1 of 1 · 2
    first, second = overlap("count-cosine", ["a a a", "a"], ["a b", "a b"])
    assert first == second


def table(*pairs: tuple[str, str]) -> PairTable:
    first, second = zip(*pairs, strict=True)
    info = PairInfo("X", "test", "pt", (0.0, 5.0), [""])
    return PairTable(info, [""] * len(pairs), [*first], [*second], np.zeros(len(pairs)))


def test_sentences_that_differ_in_case_punctuation_or_white_space_are_one():
    graph = graph_of([table(("Um gato.", "Um  cão"), ("um gato", "É um cão!"), ("um cão", "UM CÃO?"))])
    assert graph.first.tolist() == [0, 0, 1]
    assert graph.second.tolist() == [1, 2, 1]


def test_tables_are_joined_by_their_sentences():
    graph = graph_of([table(("a", "b")), table(("c", "a"), ("d", "e"))])
    assert graph.component.tolist() == [0, 0, 1]


def test_texts_without_letters_stay_apart():
    graph = graph_of([table(("!!!", "🙂"), ("???", "🙂🙂"))])
    assert len({*graph.first.tolist(), *graph.second.tolist()}) == 4
