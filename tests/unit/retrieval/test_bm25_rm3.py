"""Expanded questions against hand-made sums of RM3, and the run of its job."""

import math

import numpy as np
import pytest

from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.retrievers.bm25_rm3 import expanded, search_weighted
from sentflow.retrieval.settings import BM25RM3
from sentflow.retrieval.term_index import TermIndex

DOCUMENTS = [text.split() for text in ("a b", "a c c", "b d", "d d d e", "")]


def rm3(**keys):
    settings = BM25RM3(kind="bm25-rm3", analyser="words", k1=0.9, b=0.4, **keys)
    return settings, Bm25(TermIndex.of([DOCUMENTS]), settings)


def bm25(term: str, row: int) -> float:
    """Lucene's variant, written again."""
    n, df = len(DOCUMENTS), sum(term in document for document in DOCUMENTS)
    mean = sum(map(len, DOCUMENTS)) / n
    tf, length = DOCUMENTS[row].count(term), len(DOCUMENTS[row])
    return math.log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + 0.9 * (0.6 + 0.4 * length / mean))


def test_terms_and_weights_are_those_of_a_sum_by_hand():
    settings, index = rm3(feedback_documents=2, feedback_terms=2, original_weight=0.5)
    # "a" finds documents 0 (a b) and 1 (a c c); of a, b and c the two with the greatest means are kept
    first, second = bm25("a", 0), bm25("a", 1)
    one, other = first / (first + second), second / (first + second)
    means = {"a": one / 2 + other / 3, "b": one / 2, "c": other * 2 / 3}
    kept = sorted(means, key=lambda term: -means[term])[:2]
    total = sum(means[term] for term in kept)
    expected = {"a": 0.5} | {term: (0.5 if term == "a" else 0) + 0.5 * means[term] / total for term in kept}
    assert expanded(["a"], index, settings) == pytest.approx(expected, rel=1e-6)


def test_documents_are_ranked_by_weighted_sums_and_found_by_any_term():
    settings, index = rm3(feedback_documents=1, feedback_terms=5, original_weight=0.25)
    weights = expanded(["e"], index, settings)  # document 3 (d d d e) alone holds it
    assert weights == pytest.approx({"e": 0.25 + 0.75 / 4, "d": 0.75 * 3 / 4})
    [ranked] = search_weighted(index, [weights], 5)
    scores = [sum(weight * bm25(term, row) for term, weight in weights.items()) for row in (3, 2)]
    assert ranked.rows.tolist() == [3, 2]
    np.testing.assert_allclose(ranked.scores, scores, rtol=1e-6)


def test_a_question_stays_as_it_is_where_its_own_terms_have_all_weight_or_nothing_is_found():
    settings, index = rm3(original_weight=1)
    assert expanded(["a", "b", "b"], index, settings) == pytest.approx({"a": 1 / 3, "b": 2 / 3})
    assert expanded(["x"], index, settings) == {"x": 1.0}
    assert expanded([], index, settings) == {}
    assert (rm3()[0].feedback_documents, rm3()[0].feedback_terms, rm3()[0].original_weight) == (10, 10, 0.5)


def test_weights_add_up_to_1_whatever_is_kept():
    settings, index = rm3(feedback_terms=1, original_weight=0.3)
    for question in (["a"], ["b", "d"], ["e", "e", "x"]):
        assert sum(expanded(question, index, settings).values()) == pytest.approx(1)
