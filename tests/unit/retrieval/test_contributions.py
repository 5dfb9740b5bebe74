"""Addends of scores, beside the searches whose scores they add up to."""

import math
from itertools import product

import numpy as np
import pytest
from retrievers import VARIANTS, bm25_settings
from scipy.sparse import csr_array

from sentflow.encoders.vectors.sparse import TermEmbeddings
from sentflow.errors import DataError
from sentflow.retrieval.explanation import (
    Contribution,
    Explanation,
    Pair,
    agreeing,
    best_ranked,
    of_terms,
    of_weights,
)
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.term_index import TermIndex
from sentflow.texts.corpora import Questions

TEXTS = ["a b b c", "b d", "c c c c d e", "f", "a a e", "", "b ç e"]
DOCUMENTS = [text.split() for text in TEXTS]
INDEX = TermIndex.of([DOCUMENTS])
IDS = [f"d{row}" for row in range(len(TEXTS))]
ASKED = {"q1": "a b b", "q2": "e c zzz", "q3": "f d a ç"}
QUESTIONS = Questions(
    "q", "c", "raw", "en", 2, [*ASKED], [*ASKED.values()], [""] * 3,
    np.array([0, 0, 1]), ["d1", "d4", "d3"], np.array([1, 2, 2]),
)  # fmt: skip


def test_weights_are_multiplied_where_both_have_the_term():
    question = csr_array(np.array([[2, 0, 1, 0.5]], dtype=np.float32))
    document = csr_array(np.array([[0.25, 3, 1, 0]], dtype=np.float32))
    found = of_weights(question, document, "abcd".__getitem__)
    assert found.shared == (Contribution("c", 1, 1, 1), Contribution("a", 2, 0.25, 0.5))
    assert (found.score, found.rest) == (1.5, 0)
    assert [found.share(one.addend) for one in found.shared] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    halved = of_weights(question, document, "abcd".__getitem__, step=0.5)
    assert (halved.score, halved.shared[1]) == (0.75, Contribution("a", 2, 0.125, 0.25))


def test_vectors_are_multiplied_where_both_have_the_term():
    def with_vectors(weights, vectors):
        weights = csr_array(np.array(weights, dtype=np.float32))
        return TermEmbeddings(weights, np.array(vectors, dtype=np.float16))

    question = with_vectors([[2, 0, 1, 0.5]], [[1, 2], [0.5, -1], [9, 9]])
    document = with_vectors([[0.25, 3, 1, 0]], [[3, 0.5], [7, 7], [1, 2]])
    found = of_weights(question, document, "abcd".__getitem__)
    # a: 1 · 3 + 2 · .5; c: .5 · 1 − 1 · 2
    assert found.shared == (Contribution("a", 2, 0.25, 4), Contribution("c", 1, 1, -1.5))
    assert (found.score, found.rest) == (2.5, 0)
    assert [found.share(one.addend) for one in found.shared] == [pytest.approx(1.6), pytest.approx(-0.6)]


def test_terms_of_bm25_add_what_the_formula_says():
    # Lucene's variant: idf · tf / (tf + k1 (1 − b + b dl / avgdl)); 7 documents of 19 terms in all
    index = Bm25(INDEX, bm25_settings(k1=0.9, b=0.4))
    found = of_terms(index, 0, ["a", "b", "b", "zzz", "d"])
    norm = 0.9 * (1 - 0.4 + 0.4 * 4 / (19 / 7))
    idf = {"a": math.log(1 + 5.5 / 2.5), "b": math.log(1 + 4.5 / 3.5)}
    b, a = found.shared
    assert (b.term, b.in_question, b.in_document) == ("b", 2, 2)
    assert b.addend == pytest.approx(2 * idf["b"] * 2 / (2 + norm), rel=1e-6)
    assert (a.term, a.addend) == ("a", pytest.approx(idf["a"] / (1 + norm), rel=1e-6))
    assert found.rest == 0


def test_terms_add_up_to_the_score_of_every_variant():
    for variant, text in product(VARIANTS, ASKED.values()):
        index, question = Bm25(INDEX, bm25_settings(variant)), text.split()
        [ranked] = index.search([question], 10)
        assert len(ranked)
        for row, score in zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True):
            found = of_terms(index, row, question)
            assert found.score == pytest.approx(score, rel=1e-5)
            assert {one.term for one in found.shared} == {*question} & {*DOCUMENTS[row]}
            lacking = [term for term in question if term not in DOCUMENTS[row]]
            assert found.rest == pytest.approx(float(index.scores(lacking)[row]), rel=1e-5)


def test_a_score_of_0_has_no_shares_and_another_score_is_no_sum_of_these():
    assert math.isnan(Explanation(()).share(0.0))
    assert Explanation(()).agrees_with(0.0)
    found = Explanation((Contribution("a", 1, 1, 2.0),), rest=1.0)
    assert (found.score, found.share(2.0)) == (3, pytest.approx(2 / 3))
    assert found.agrees_with(3.00001)
    assert not found.agrees_with(3.001)


def test_explanations_are_held_against_the_run_and_documents_beyond_it_are_explained_too():
    run = Run(IDS, {"q1": Ranked(np.array([4, 1]), np.array([2.0, 1.0]))})
    pairs = [Pair("q1", "d4"), Pair("q1", "d0"), Pair("q2", "d4")]

    def adding(*scores):
        return [Explanation((Contribution("a", 1, 1, score),)) for score in scores]

    found = agreeing(pairs, adding(2, 7, 7), run, where="r.parquet")
    assert [found[pair].score for pair in pairs] == [2, 7, 7]
    message = r"r.parquet: the score of d4 for the question q1 is 2, .* add up to 2.1"
    with pytest.raises(DataError, match=message):
        agreeing(pairs, adding(2.1, 7, 7), run, where="r.parquet")


def test_grades_below_the_relevant_one_and_unjudged_documents_are_wrong():
    run = Run(IDS, {"q1": Ranked(np.array([1, 4, 0]), np.array([3.0, 2.0, 1.0]))})
    assert best_ranked("q1", run, QUESTIONS, relevant=False) == "d1"  # grade 1, relevant from 2
    assert best_ranked("q1", run, QUESTIONS, relevant=True) == "d4"
    assert best_ranked("q2", run, QUESTIONS, relevant=True) is None
