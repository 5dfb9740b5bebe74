"""Ranking, BM25, vectors and fusion against plain computations."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentflow.errors import ConfigError, DataError
from sentflow.retrieval import dense
from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.bm25 import VARIANTS, Bm25, Bm25Settings
from sentflow.retrieval.fusion import FusionSettings, fused
from sentflow.retrieval.ranking import Ranked, merged, top

# --- ranking ----------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.integers(1, 45))
def test_equal_scores_keep_the_order_of_the_corpus(values, k):
    scores = np.array(values, dtype=np.float32)
    found = top(scores, k)
    expected = sorted(range(len(values)), key=lambda row: (-values[row], row))
    assert found.rows.tolist() == expected[:k]
    cut = values[expected[k - 1]] if k < len(values) else None
    assert found.tied_at_cut == sum(values[row] == cut for row in expected[k:])


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(1, 10), st.integers(1, 39))
def test_the_best_of_parts_are_the_best_of_the_whole(values, k, where):
    scores = np.array(values, dtype=np.float32)
    where = min(where, len(values) - 1)
    parts = [top(scores[:where], k), top(scores[where:], k, rows=np.arange(where, len(values)))]
    found, whole = merged(parts, k), top(scores, k)
    assert found.rows.tolist() == whole.rows.tolist()
    assert found.tied_at_cut == whole.tied_at_cut


@pytest.mark.parametrize("place", [0, 5, 18, 19])  # in a group, and among those left over
def test_a_score_that_is_no_number_is_refused(place):
    scores = np.zeros(20)
    scores[place] = math.nan
    with pytest.raises(DataError, match="1 of 20 scores are not numbers"):
        top(scores, 1)


def test_only_scores_above_a_limit_are_ranked():
    found = top(np.array([0.0, 2.0, 0.0, 1.0, -1.0]), 3, above=0.0)
    assert (found.rows.tolist(), found.scores.tolist(), found.tied_at_cut) == ([1, 3], [2, 1], 0)


# --- BM25 -------------------------------------------------------------------------------------------------------------

TEXTS = ["a b b c", "b d", "c c c c d e", "f", "a a e", ""]


def closed_form(variant, k1, b, delta, documents, query):
    """Kamphuis et al. 2020, table 1; lucene and bm25+ as in Lv and Zhai 2011."""
    n = len(documents)
    df = Counter(term for document in documents for term in set(document))
    length = sum(map(len, documents)) / n
    scores = np.zeros(n)
    for term in query:
        if term not in df:
            continue
        idf = {
            "lucene": math.log(1 + (n - df[term] + 0.5) / (df[term] + 0.5)),
            "robertson": max(0.0, math.log((n - df[term] + 0.5) / (df[term] + 0.5))),
            "atire": math.log(n / df[term]),
            "bm25l": math.log((n + 1) / (df[term] + 0.5)),
            "bm25+": math.log((n + 1) / df[term]),
        }[variant]
        for row, document in enumerate(documents):
            tf = document.count(term)
            norm = 1 - b + b * len(document) / length
            if variant == "lucene" or variant == "robertson":
                part = tf / (tf + k1 * norm)
            elif variant == "atire":
                part = tf * (k1 + 1) / (tf + k1 * norm)
            elif variant == "bm25l":
                c = tf / norm
                part = (k1 + 1) * (c + delta) / (k1 + c + delta)
            else:
                part = delta + tf * (k1 + 1) / (k1 * norm + tf)
            scores[row] += idf * part
    return scores


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("query", ["a", "c d", "b b e", "zzz a", "zzz"])
def test_scores_are_those_of_the_closed_form(variant, query):
    documents = [text.split() for text in TEXTS]
    settings = Bm25Settings(variant, k1=0.9, b=0.4, delta=0.7)
    found = Bm25(documents, settings).scores(query.split())
    expected = closed_form(variant, 0.9, 0.4, 0.7, documents, query.split())
    # float32 sums of a few terms
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("variant", VARIANTS)
def test_documents_without_a_term_are_not_found(variant):
    index = Bm25([text.split() for text in TEXTS], Bm25Settings(variant))
    [found, nothing] = index.search([["a", "e"], ["zzz"]], 10)
    assert set(found.rows.tolist()) <= {0, 2, 4}
    assert 4 in found.rows
    assert len(nothing) == 0


def test_parameters_that_cannot_be_meant():
    with pytest.raises(ConfigError, match="x.variant: 'okapi' does not exist"):
        Bm25Settings("okapi").check("x")
    with pytest.raises(ConfigError, match="b from 0 to 1"):
        Bm25Settings(b=1.5).check("x")


# --- analysers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "text", "terms"),
    [
        ({"units": "words"}, "O Art. 5º, a", ["o", "art", "5º", "a"]),
        ({"units": "long-words"}, "O Art. 5º, a", ["art", "5º"]),
        ({"units": "words", "lower": False, "stop_words": ["o"]}, "O o x", ["O", "x"]),
        ({"units": "character-bigrams"}, "법원 A bc", ["법원", "a", "bc"]),
        ({"units": "character-bigrams"}, "대한민국", ["대한", "한민", "민국"]),
        ({"units": "long-words", "stop_words": "english"}, "The laws of wings", ["laws", "wings"]),
    ],
)
def test_terms(settings, text, terms):
    assert Analyser.from_settings(settings, where="x").terms([text]) == [terms]


def test_stems_by_snowball():
    pytest.importorskip("Stemmer", reason="PyStemmer is not installed")
    analyser = Analyser.from_settings({"units": "words", "stemmer": "portuguese"}, where="x")
    [[plural, singular]] = analyser.terms(["contratos contrato"])
    assert plural == singular


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"units": "letters"}, "x.units: 'letters' does not exist"),
        ({"stemmer": "latin"}, "x.stemmer: 'latin' does not exist"),
        ({"stop_words": "klingon"}, "x.stop_words: there is no list 'klingon'"),
        ({"unit": "words"}, "x: unknown key unit"),
    ],
)
def test_analysers_that_do_not_exist(settings, said):
    with pytest.raises(ConfigError, match=said):
        Analyser.from_settings(settings, where="x")


# --- vectors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("similarity", dense.SIMILARITIES)
@pytest.mark.parametrize("block", [3, 1000])
def test_a_document_counts_by_its_best_passage(similarity, block, monkeypatch):
    monkeypatch.setattr(dense, "_BLOCK_ROWS", block)
    rng = np.random.default_rng(1)
    questions = rng.normal(size=(5, 8)).astype(np.float32)
    values = rng.normal(size=(20, 8)).astype(np.float32)
    owners = np.sort(rng.integers(0, 7, 20))
    scores = questions @ values.T
    if similarity == "cosine":
        scores /= np.linalg.norm(questions, axis=1)[:, None] * np.linalg.norm(values, axis=1)
    for found, row in zip(
        dense.search(questions, dense.Vectors(values, owners), 4, similarity=similarity), scores, strict=True
    ):
        best = {document: row[owners == document].max() for document in np.unique(owners)}
        order = sorted(best, key=lambda document: -best[document])[:4]
        assert found.rows.tolist() == order
        np.testing.assert_allclose(found.scores, [best[document] for document in order], rtol=1e-5)


def test_equal_vectors_keep_the_order_of_the_corpus_whatever_the_blocks(monkeypatch):
    rng = np.random.default_rng(2)
    # whole numbers: their products are exact, however a library sums them
    values = rng.integers(-3, 4, (6, 16)).astype(np.float32)[rng.integers(0, 6, 50)]
    questions = rng.integers(-3, 4, (7, 16)).astype(np.float32)

    def found(rows, at_a_time):
        monkeypatch.setattr(dense, "_BLOCK_ROWS", rows)
        monkeypatch.setattr(dense, "_QUESTIONS", at_a_time)
        ranked = dense.search(questions, dense.Vectors(values, np.arange(50)), 10, similarity="dot")
        return [(one.rows.tolist(), one.tied_at_cut) for one in ranked]

    whole = found(1000, 1000)
    assert sum(n_tied for _, n_tied in whole) > 0
    assert found(16, 1000) == found(16, 4) == found(13, 3) == whole


def test_a_zero_vector_has_the_cosine_zero():
    [found] = dense.search(
        np.zeros((1, 3), np.float32), dense.Vectors(np.eye(3, dtype=np.float32), np.arange(3)), 3
    )
    assert found.scores.tolist() == [0, 0, 0]


# --- fusion -----------------------------------------------------------------------------------------------------------


def ranked(**scores):
    rows = np.array([int(name.removeprefix("d")) for name in scores])
    values = np.array([*scores.values()], dtype=float)
    order = np.lexsort((rows, -values))
    return Ranked(rows[order], values[order])


LEXICAL, VECTORS = ranked(d0=10.0, d1=5.0, d2=0.5), ranked(d1=0.9, d3=0.8, d0=0.3)


def as_dict(found):
    return dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))


def test_a_product_is_of_documents_that_all_runs_have():
    found = fused([LEXICAL, VECTORS], FusionSettings("product", (1, 1)), 10)
    assert as_dict(found) == pytest.approx({1: 4.5, 0: 3.0})
    assert found.rows.tolist() == [1, 0]


def test_reciprocal_ranks():
    found = fused([LEXICAL, VECTORS], FusionSettings("reciprocal-rank", (1, 2), k=60), 10)
    assert as_dict(found) == pytest.approx({0: 1 / 61 + 2 / 63, 1: 1 / 62 + 2 / 61, 2: 1 / 63, 3: 2 / 62})


def test_a_weighted_sum_of_scores_from_least_to_greatest():
    found = fused([LEXICAL, VECTORS], FusionSettings("sum", (0.25, 0.75)), 10)
    assert as_dict(found) == pytest.approx({0: 0.25, 1: 0.25 * 4.5 / 9.5 + 0.75, 2: 0.0, 3: 0.75 * 5 / 6})


def test_a_run_that_found_nothing_adds_nothing():
    nothing = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    assert fused([LEXICAL, nothing], FusionSettings("sum", (1, 1)), 2).rows.tolist() == [0, 1]
    assert len(fused([LEXICAL, nothing], FusionSettings("product", (1, 1)), 2)) == 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (FusionSettings("mean", (1, 1)), "x.rule: 'mean' does not exist"),
        (FusionSettings("sum", (1, 1), normalise="rank"), "x.normalise: 'rank' does not exist"),
        (FusionSettings("sum", (0, 0)), "x.weights"),
        (FusionSettings("reciprocal-rank", (1, 1), k=-1), "x.k: -1"),
    ],
)
def test_fusions_that_cannot_be_meant(settings, said):
    with pytest.raises(ConfigError, match=said):
        settings.check("x")
