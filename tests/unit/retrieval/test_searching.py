"""Ranking, BM25, vectors and fusion against plain computations."""

import hashlib
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from retrievers import VARIANTS, analyser_with, bm25_settings, fusion_settings

from sentflow.config.collections import StopList
from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.analysers import stop_words, with_checksum
from sentflow.retrieval.ranking import Ranked, merged, top
from sentflow.retrieval.retrievers import dense
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.retrievers.fusion import fused
from sentflow.retrieval.term_index import TermCounts, TermIndex


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


def test_a_score_that_is_no_number_is_refused_and_only_scores_above_a_limit_are_ranked():
    for place in (0, 18, 19):  # in a group, and among those left over
        scores = np.zeros(20)
        scores[place] = math.nan
        with pytest.raises(DataError, match="1 of 20 scores are not numbers"):
            top(scores, 1)
    found = top(np.array([0.0, 2.0, 0.0, 1.0, -1.0]), 3, above=0.0)
    assert (found.rows.tolist(), found.scores.tolist(), found.tied_at_cut) == ([1, 3], [2, 1], 0)


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


@pytest.mark.parametrize("k1", [0.9, 0])
@pytest.mark.parametrize("variant", VARIANTS)
def test_scores_are_those_of_the_closed_form(variant, k1):
    documents = [text.split() for text in TEXTS]
    index = Bm25(TermIndex.of([documents]), bm25_settings(variant, k1=k1, b=0.4, delta=0.7))
    for query in ("a", "c d", "b b e", "zzz a", "zzz"):
        expected = closed_form(variant, k1 or 1e-12, 0.4, 0.7, documents, query.split())
        # float32 sums of a few terms
        np.testing.assert_allclose(index.scores(query.split()), expected, rtol=2e-6, atol=2e-6)
    with pytest.raises(ConfigError, match="x.b"):
        bm25_settings(b=1.5)


def test_terms():
    for settings, text, terms in (
        ({"units": "words"}, "O Art. 5º, a", ["o", "art", "5º", "a"]),
        ({"units": "long-words"}, "O Art. 5º, a", ["art", "5º"]),
        ({"units": "words", "lower": False, "stop_words": ["o"]}, "O o x", ["O", "x"]),
        ({"units": "character-bigrams"}, "법원 A bc", ["법원", "a", "bc"]),
        ({"units": "character-bigrams"}, "대한민국", ["대한", "한민", "민국"]),
        ({"units": "long-words", "stop_words": "english"}, "The laws of wings", ["laws", "wings"]),
    ):
        assert analyser_with(**settings).terms([text]) == [terms]


def test_stems_by_snowball():
    pytest.importorskip("Stemmer", reason="PyStemmer is not installed")
    analyser = analyser_with(stemmer="portuguese")
    [[plural, singular]] = analyser.terms(["contratos contrato"])
    assert plural == singular


def test_the_words_of_a_file_are_dropped_and_another_file_is_refused(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_bytes("\ufeffcủa\r\ncông an\r\n\r\n”\n".encode())
    assert stop_words(StopList(file=str(path)), where="x") == {"của", "công an", "”"}
    analyser = analyser_with(stop_words={"file": str(path)})
    assert analyser.terms(["Luật CỦA nước"]) == [["luật", "nước"]]
    # settings of a job hold the checksum, so that an edit is another analyser
    before = with_checksum(StopList(file=str(path)), where="x")
    assert before.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_text("b\n")
    with pytest.raises(DataError, match="has the SHA-256"):
        stop_words(before, where="x")


@pytest.mark.parametrize("similarity", ("cosine", "dot"))
def test_a_document_counts_by_its_best_passage(similarity, monkeypatch):
    monkeypatch.setattr(dense, "_BLOCK_ROWS", 3)
    rng = np.random.default_rng(1)
    questions = rng.normal(size=(5, 8)).astype(np.float32)
    values = rng.normal(size=(20, 8)).astype(np.float32)
    owners = np.sort(rng.integers(0, 7, 20))
    scores = questions @ values.T
    if similarity == "cosine":
        scores /= np.linalg.norm(questions, axis=1)[:, None] * np.linalg.norm(values, axis=1)
    for found, row in zip(
        dense.search_vectors(questions, dense.Vectors(values, owners), 4, similarity=similarity),
        scores,
        strict=True,
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
        ranked = dense.search_vectors(questions, dense.Vectors(values, np.arange(50)), 10, similarity="dot")
        return [(one.rows.tolist(), one.tied_at_cut) for one in ranked]

    whole = found(1000, 1000)
    assert sum(n_tied for _, n_tied in whole) > 0
    assert found(16, 1000) == found(16, 4) == found(13, 3) == whole


def test_a_zero_vector_has_the_cosine_zero():
    [found] = dense.search_vectors(
        np.zeros((1, 3), np.float32), dense.Vectors(np.eye(3, dtype=np.float32), np.arange(3)), 3
    )
    assert found.scores.tolist() == [0, 0, 0]


def ranked(**scores):
    rows = np.array([int(name.removeprefix("d")) for name in scores])
    values = np.array([*scores.values()], dtype=float)
    order = np.lexsort((rows, -values))
    return Ranked(rows[order], values[order])


LEXICAL, VECTORS = ranked(d0=10.0, d1=5.0, d2=0.5), ranked(d1=0.9, d3=0.8, d0=0.3)


def as_dict(found):
    return dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))


def test_fusions_by_hand():
    both = [LEXICAL, VECTORS]
    found = fused(both, fusion_settings("product"), (1, 1), 10)  # of documents that all runs have
    assert as_dict(found) == pytest.approx({1: 4.5, 0: 3.0})
    assert found.rows.tolist() == [1, 0]
    found = fused(both, fusion_settings("reciprocal-rank", k=60), (1, 2), 10)
    assert as_dict(found) == pytest.approx({0: 1 / 61 + 2 / 63, 1: 1 / 62 + 2 / 61, 2: 1 / 63, 3: 2 / 62})
    # scores from least to greatest
    found = fused(both, fusion_settings(), (0.25, 0.75), 10)
    assert as_dict(found) == pytest.approx({0: 0.25, 1: 0.25 * 4.5 / 9.5 + 0.75, 2: 0.0, 3: 0.75 * 5 / 6})
    # a document that a run lacks has the least score of that run
    plain = fusion_settings(normalise="none")
    assert as_dict(fused(both, plain, (0.25, 0.75), 10)) == pytest.approx(
        {0: 2.725, 1: 1.925, 2: 0.35, 3: 0.725}
    )
    standard = fusion_settings(normalise="standard")
    lexical = np.array([10, 5, 0.5])
    expected = dict(enumerate((lexical - lexical.mean()) / lexical.std())) | {
        3: (0.5 - lexical.mean()) / lexical.std()
    }
    assert as_dict(fused(both, standard, (1, 0), 10)) == pytest.approx(expected)
    # the ensemble of the published Zalo system: a weighted sum of cosines, times BM25 where it found something
    times = fusion_settings(normalise="none", times="lexical")
    found = fused([VECTORS, ranked(d1=0.4, d2=0.8), LEXICAL], times, (0.25, 0.75), 10)
    assert as_dict(found) == pytest.approx(
        {0: 10 * (0.075 + 0.3), 1: 5 * (0.225 + 0.3), 2: 0.5 * (0.075 + 0.6)}
    )


def test_fusions_that_cannot_be_meant():
    for keys, where in (
        ({"rule": "mean"}, "x.rule"),
        ({"normalise": "rank"}, "x.normalise"),
        ({"weights": [0, 0]}, "x.weights"),
        ({"rule": "reciprocal-rank", "k": -1}, "x.k"),
    ):
        with pytest.raises(ConfigError, match=where):
            fusion_settings(**keys)


def test_runs_of_different_depth_and_empty_ones_are_fused():
    deep = Ranked(np.arange(5), np.arange(5, 0, -1).astype(float))
    flat = Ranked(np.array([3]), np.array([0.2]))
    empty = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    for rule in ("product", "sum", "reciprocal-rank"):
        settings, weights = fusion_settings(rule), (1.0, 1.0)
        both = fused([deep, flat], settings, weights, 10)
        assert np.isfinite(both.scores).all()
        assert sorted(both.rows.tolist()) == ([3] if rule == "product" else [0, 1, 2, 3, 4])
        one = fused([deep, empty], settings, weights, 10)
        assert one.rows.tolist() == ([] if rule == "product" else [0, 1, 2, 3, 4])
        assert len(fused([empty, empty], settings, weights, 10)) == 0


INDEX = TermIndex.of([[["lei", "a"], ["lei"], ["lei", "b", "b"], ["decreto"]]])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("counts", [None, TermCounts.summed([INDEX])])
def test_a_term_of_most_documents_finds_them(variant, counts):
    index = Bm25(INDEX, bm25_settings(variant), counts)
    both, none, rare = index.search([["lei", "lei"], ["x"], ["b", "lei"]], 10)
    assert sorted(both.rows.tolist()) == [0, 1, 2]
    assert len(none) == 0
    assert rare.rows.tolist()[0] == 2
    assert sorted(rare.rows.tolist()) == [0, 1, 2]
