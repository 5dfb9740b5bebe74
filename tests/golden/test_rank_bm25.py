"""BM25 against rank_bm25, which the published Vietnamese pipeline uses, on the statutes of ALQAC and Zalo.

Where the formulas coincide: BM25Plus is bm25+; BM25Okapi is (k1 + 1) times Robertson's form, if terms in more than half
of the documents count nothing (epsilon 0). rank_bm25 sums in float64, bm25s in float32: hence a relative difference of
1e-5.
"""

import numpy as np
import pytest
from mirror_questions import mirror_corpus, mirror_questions

from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.bm25 import Bm25, Bm25Settings

rank_bm25 = pytest.importorskip("rank_bm25", reason="needs envs/requirements-crosscheck.txt")
pytestmark = [pytest.mark.mirror, pytest.mark.slow]


@pytest.fixture(scope="module")
def terms(mirror):
    """Terms of the documents and of the questions of Zalo."""
    analyser = Analyser.from_settings({"units": "words"}, where="words")
    asked = mirror_questions("zalo-subset-test", mirror).texts
    return analyser.terms(mirror_corpus("zalo-subset", mirror).whole_texts()), analyser.terms(asked)


@pytest.mark.parametrize(("k1", "b"), [(0.4, 0.6), (1.5, 0.75)])
def test_bm25_plus_is_the_same(terms, k1, b):
    documents, questions = terms
    ours = Bm25(documents, Bm25Settings(variant="bm25+", k1=k1, b=b, delta=1.0))
    theirs = rank_bm25.BM25Plus(documents, k1=k1, b=b, delta=1)
    for asked in questions:
        np.testing.assert_allclose(ours.scores(asked), theirs.get_scores(asked), rtol=1e-5, atol=1e-5)


def test_robertson_is_okapi_without_its_factor(terms):
    documents, questions = terms
    ours = Bm25(documents, Bm25Settings(variant="robertson", k1=1.5, b=0.75))
    theirs = rank_bm25.BM25Okapi(documents, k1=1.5, b=0.75, epsilon=0)
    for asked in questions:
        np.testing.assert_allclose(2.5 * ours.scores(asked), theirs.get_scores(asked), rtol=1e-5, atol=1e-5)
