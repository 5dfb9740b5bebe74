"""A document that holds a term of the question is found, also where the term weighs nothing."""

import pytest

from sentflow.retrieval.bm25 import VARIANTS, Bm25, Bm25Settings
from sentflow.retrieval.terms import count_terms

DOCUMENTS = [["lei", "a"], ["lei"], ["lei", "b", "b"], ["decreto"]]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("counts", [None, count_terms([DOCUMENTS])])
def test_a_term_of_most_documents_finds_them(variant, counts):
    index = Bm25(DOCUMENTS, Bm25Settings(variant), counts)
    both, none, rare = index.search([["lei", "lei"], ["x"], ["b", "lei"]], 10)
    assert sorted(both.rows.tolist()) == [0, 1, 2]
    assert len(none) == 0
    assert rare.rows.tolist()[0] == 2
    assert sorted(rare.rows.tolist()) == [0, 1, 2]
