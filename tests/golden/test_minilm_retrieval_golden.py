"""MiniLM as it comes and its fusions with BM25, against values that another program computed from the same files.

Whole documents, cut off at 256 tokens, exact search by cosine. BM25 as in test_retrieval_golden.py, on Cranfield with
English stop words. Tolerance 2e-3: vectors differ in their last digits between processors, which moves documents that
are almost equal.
"""

import numpy as np
import pytest
from mirror_data import mirror_corpus, mirror_questions
from retrievers import analyser_with, bm25_settings, fusion_settings

from sentflow.compare.differences import all_differences
from sentflow.compare.questions import QuestionScores
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.retrievers.dense import Vectors, search_vectors
from sentflow.retrieval.retrievers.fusion import fused
from sentflow.retrieval.settings import QuestionTests
from sentflow.retrieval.term_index import TermIndex

pytestmark = [pytest.mark.mirror, pytest.mark.nightly]

MEASURES = ["nDCG@10", "R@10", "R@100", "RR@10"]
TOLERANCE = 2e-3
CRANFIELD = {
    "bm25": (0.5050, 0.4394, 0.7360, 0.7940),
    "minilm": (0.5132, 0.4575, 0.7883, 0.7732),
    "product": (0.5642, 0.4907, 0.7808, 0.8478),
    "reciprocal-rank": (0.5571, 0.4860, 0.7997, 0.8269),
}
SETTINGS = QuestionTests(level=0.95, alpha=0.05, margin=0.01, n_resamples=10_000, seed=1)


def ranked(minilm, questions, corpus):
    """What exact search finds for each question, down to 1,000."""
    texts = corpus.whole_texts()
    owners = np.array([row for row, text in enumerate(texts) if text])
    vectors = minilm.embed([texts[row] for row in owners])
    return [*search_vectors(minilm.embed(questions.texts), Vectors(vectors, owners), 1000)]


def measured(questions, corpus, found, measures=MEASURES):
    run = Run(corpus.ids, dict(zip(questions.ids, found, strict=True)))
    return evaluate(run, questions, corpus, measures).values


@pytest.fixture(scope="module")
def cranfield(minilm, mirror):
    """Retriever → measure → values."""
    questions, corpus = mirror_questions("cranfield", mirror), mirror_corpus("cranfield", mirror)
    terms = analyser_with("long-words", stop_words="english").terms
    index = TermIndex.of([terms(corpus.whole_texts())])
    bm25 = Bm25(index, bm25_settings()).search(terms(questions.texts), 1000)
    runs = {"bm25": [*bm25], "minilm": ranked(minilm, questions, corpus)}
    for rule in ("product", "reciprocal-rank"):
        both = zip(runs["bm25"], runs["minilm"], strict=True)
        runs[rule] = [fused(pair, fusion_settings(rule), (1, 1), 1000) for pair in both]
    return {name: measured(questions, corpus, found) for name, found in runs.items()}


def test_fusions_on_cranfield_give_the_values_of_another_program(cranfield):
    for name, expected in CRANFIELD.items():
        means = [float(cranfield[name][measure].mean()) for measure in MEASURES]
        assert means == pytest.approx(expected, abs=TOLERANCE)


def test_the_product_is_better_than_bm25_beyond_noise_and_minilm_alone_is_not(cranfield):
    names = ("product", "bm25", "minilm")
    values = np.stack([cranfield[name]["nDCG@10"] for name in names])
    asked = [str(row) for row in range(values.shape[1])]
    rows = all_differences(QuestionScores("cranfield", "nDCG@10", names, asked, values, SETTINGS))
    product, _, bm25 = rows  # product - bm25, product - minilm, bm25 - minilm
    assert product.difference == pytest.approx(0.059, abs=TOLERANCE)
    assert (product.low, product.high) == pytest.approx((0.045, 0.074), abs=TOLERANCE)
    assert product.p_holm < 1e-6
    assert (product.wins, product.losses) == pytest.approx((132, 36), abs=4)
    assert bm25.low < 0 < bm25.high
