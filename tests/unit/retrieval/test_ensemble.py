"""The ensemble of the published Zalo system, BM25+ times a weighted sum of cosines, against its formula; and tuned."""

import math
from collections import Counter

import numpy as np
import pytest

from sentflow.retrieval.bm25 import Bm25, Bm25Settings
from sentflow.retrieval.decisions import Decision
from sentflow.retrieval.dense import Vectors, search
from sentflow.retrieval.fusion import FusionSettings, fused
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.tuned_fusion import weigh, weight_grid
from sentflow.texts.corpora import Questions

N, N_ASKED, WIDTH = 40, 12, 8
WEIGHTS = (0.1, 0.3, 0.4, 0.2)  # CuongNN218/zalo_ltr_2021@b63aa805: PhoBERT, Condenser, coCondenser, viBERT
WORDS = [f"w{number}" for number in range(60)]
IDS = [f"d{row}" for row in range(N)]
RANDOM = np.random.default_rng(4)
DOCUMENTS = [[*RANDOM.choice(WORDS, RANDOM.integers(3, 20))] for _ in range(N)]
ASKED = [[*RANDOM.choice(WORDS, 8)] for _ in range(N_ASKED)]
VECTORS = [
    (RANDOM.standard_normal((N, WIDTH)) + 0.7, RANDOM.standard_normal((N_ASKED, WIDTH)) + 0.7)
    for _ in WEIGHTS
]
LEXICAL = [*Bm25(DOCUMENTS, Bm25Settings("bm25+", k1=0.4, b=0.6, delta=1)).search(ASKED, N)]
DENSE = [
    [*search(asked.astype("f4"), Vectors(documents.astype("f4"), np.arange(N)), N)]
    for documents, asked in VECTORS
]
SUM = FusionSettings("sum", WEIGHTS, normalise="none")
TIMES = FusionSettings("sum", WEIGHTS, normalise="none", times=True)


def ensemble(question, settings=SUM):
    return fused([run[question] for run in DENSE], settings, N)


def product(question, settings=SUM):
    return fused([LEXICAL[question], ensemble(question, settings)], FusionSettings("product", (1, 1)), N)


def published(question):
    """Document → BM25+ times the weighted sum of cosines, where it has a term of the question; by the formulas."""
    mean = sum(map(len, DOCUMENTS)) / N
    found = {}
    for row, document in enumerate(DOCUMENTS):
        counts = Counter(document)
        lexical = 0.0
        for term in ASKED[question]:
            holding = sum(term in other for other in DOCUMENTS)
            if holding:
                saturated = counts[term] * 1.4 / (0.4 * (1 - 0.6 + 0.6 * len(document) / mean) + counts[term])
                lexical += math.log((N + 1) / holding) * (1 + saturated)
        cosines = [
            documents[row]
            @ asked[question]
            / np.linalg.norm(documents[row])
            / np.linalg.norm(asked[question])
            for documents, asked in VECTORS
        ]
        if counts.keys() & set(ASKED[question]):
            found[row] = lexical * float(np.dot(WEIGHTS, cosines))
    return found


@pytest.mark.parametrize("question", range(N_ASKED))
def test_scores_are_those_of_the_published_formula(question):
    found, expected = product(question), published(question)
    assert set(found.rows.tolist()) == set(expected)
    # BM25 and cosines are float32
    np.testing.assert_allclose(
        found.scores, [expected[row] for row in found.rows.tolist()], rtol=1e-4, atol=1e-4
    )


def test_the_published_window_keeps_at_most_five_near_the_best():
    n_kept = []
    for question in range(N_ASKED):
        found, expected = product(question), published(question)
        kept = Decision(most=5, window=2.6).kept(found).rows.tolist()
        best = sorted(expected, key=expected.__getitem__, reverse=True)[:5]
        assert kept == [row for row in best if expected[row] >= expected[best[0]] - 2.6]
        n_kept.append(len(kept))
    assert len(set(n_kept)) > 1


@pytest.mark.parametrize("question", range(N_ASKED))
def test_a_sum_times_a_run_is_the_product_of_both(question):
    found = fused([*(run[question] for run in DENSE), LEXICAL[question]], TIMES, N)
    expected = product(question)
    assert found.rows.tolist() == expected.rows.tolist()
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-12)


def test_a_factor_that_found_nothing_leaves_nothing():
    nothing = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    runs = [run[0] for run in DENSE]
    assert len(fused([*runs, nothing], TIMES, N)) == 0
    assert len(fused([*[nothing] * len(runs), LEXICAL[0]], TIMES, N)) == 0


def test_weights_are_chosen_by_what_the_product_reaches():
    rows = np.arange(N_ASKED)
    names = [f"q{row}" for row in rows]
    # relevant is what the product with weights near the second run ranks first, where the sum ranks something else
    best = [product(row, FusionSettings("sum", (0, 1, 0, 0), "none")).rows[0] for row in rows]
    asked = Questions(
        "train", "c", "raw", "en", 1, names, names, [""] * N_ASKED, rows, [IDS[row] for row in best],
        np.ones(N_ASKED, dtype=np.int64),
    )  # fmt: skip
    candidates = weight_grid(len(WEIGHTS), 4)
    runs = [dict(zip(names, run, strict=True)) for run in (*DENSE, LEXICAL)]
    common = {"retriever": "r", "candidates": candidates, "measure": "RR@10", "depth": N}
    of_product = weigh(runs, IDS, asked, TIMES, **common).values.mean(axis=1)
    of_sum = weigh(runs[:-1], IDS, asked, SUM, **common).values.mean(axis=1)
    assert candidates[int(of_product.argmax())] == (0, 1, 0, 0)
    assert of_product.max() == 1
    # the measure of the sum alone does not know the product
    assert of_sum.max() < 1
