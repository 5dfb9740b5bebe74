"""A document that holds a term of the question is found, also where the term weighs nothing."""

import pytest
from retrievers import VARIANTS, bm25_settings

from sentflow.retrieval.bm25 import Bm25
from sentflow.retrieval.terms import count_terms

DOCUMENTS = [["lei", "a"], ["lei"], ["lei", "b", "b"], ["decreto"]]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("counts", [None, count_terms([DOCUMENTS])])
def test_a_term_of_most_documents_finds_them(variant, counts):
    index = Bm25(DOCUMENTS, bm25_settings(variant), counts)
    both, none, rare = index.search([["lei", "lei"], ["x"], ["b", "lei"]], 10)
    assert sorted(both.rows.tolist()) == [0, 1, 2]
    assert len(none) == 0
    assert rare.rows.tolist()[0] == 2
    assert sorted(rare.rows.tolist()) == [0, 1, 2]
