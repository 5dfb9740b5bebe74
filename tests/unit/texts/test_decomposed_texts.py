"""Texts whose letters and accents are apart (NFD) are compared composed; encoders get them as they stand."""

from unicodedata import normalize

import numpy as np
import pytest
from retrievers import analyser_with

import sentflow
from sentflow.audit.question_audit import Judged, audit_questions
from sentflow.audit.task_audit import AuditSettings, audit
from sentflow.encoders.kinds.bag_of_words import BagOfWordsEncoder
from sentflow.encoders.kinds.tfidf import TfidfEncoder
from sentflow.retrieval.tuning import training_questions
from sentflow.similarity.scores import BASELINES, overlap
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.table import TaskInfo, TaskTable

TEXTS = ["bệnh viện công cộng", "ação civil pública", "국민의 권리"]
APART = [normalize("NFD", text) for text in TEXTS]


@pytest.mark.parametrize("analyser", ["words", "long-words", "character-bigrams", "portuguese-stems"])
@pytest.mark.parametrize(("asked", "known"), [(TEXTS, APART), (APART, TEXTS)])
def test_bm25_finds_texts_of_the_other_form(analyser, asked, known):
    found = sentflow.retrieve(asked, known, {"kind": "bm25", "analyser": analyser})
    assert [next(iter(found[place])) for place in range(3)] == ["0", "1", "2"]


def test_stop_words_are_compared_as_terms_are():
    analyser = analyser_with(stop_words=[normalize("NFD", "ação")])
    assert analyser.terms([TEXTS[1], APART[1]]) == [["civil", "pública"]] * 2


def test_vectors_that_count_words_are_those_of_the_other_form():
    bag = BagOfWordsEncoder(dimension=8)
    assert np.array_equal(*(bag.encode(texts, role="query", task=None) for texts in (TEXTS, APART)))
    tfidf = TfidfEncoder(max_features=9, ngram_range=(1, 1)).fit(TEXTS)
    assert (tfidf.transform(TEXTS) != tfidf.transform(APART)).nnz == 0
    for name in BASELINES:
        assert overlap(name, TEXTS, APART) == pytest.approx(1)


def test_an_encoder_gets_texts_as_they_stand():
    seen = []

    def encode(texts):
        seen.extend(texts)
        return np.ones((len(texts), 2))

    sentflow.retrieve(APART, ["x"], encode)
    assert set(APART) <= set(seen)


def questions(texts):
    none = np.zeros(0, dtype=np.int64)
    ids = [f"q{row}" for row in range(len(texts))]
    return Questions("q", "c", "raw", "pt", 1, ids, texts, [""] * len(texts), none, [], none)


def test_audits_of_questions_see_copies_of_the_other_form_and_count_them():
    corpus = Corpus("c", "raw", "pt", ["a", "b"], ["", ""], [TEXTS[1], APART[1]])
    found = audit_questions(Judged(questions([APART[1]]), corpus), [Judged(questions(TEXTS), corpus)])
    assert found["not_nfc"] == {"questions": 1, "documents": 1}
    assert (found["questions_that_are_documents"], found["document_copies"]["texts"]) == (1, 1)
    assert found["leaked"] == {"q0": "copy"}
    first, second = (training_questions(questions([texts[1]]))[0].words for texts in (TEXTS, APART))
    assert first == second


def test_the_audit_of_a_task_sees_copies_of_the_other_form_and_counts_them():
    texts = [f"ação número {row // 2}" for row in range(40)]
    texts[::2] = [normalize("NFD", text) for text in texts[::2]]
    labels = np.array([row % 2 for row in range(40)])
    info = TaskInfo("t", "single", ["0", "1"], 0, "raw")
    table = TaskTable(info, texts, [], labels, [None] * 40)
    found = audit(table, AuditSettings(repetitions=1, folds=2, seed=0, group_folds=False, language="pt"))
    assert (found["exact_duplicates"]["rows"], found["contradicting"]["rows"], found["not_nfc"]) == (
        40,
        40,
        20,
    )
    assert any("20 texts have characters in another form than NFC" in told for told in found["warnings"])


def test_a_comparison_with_published_scores_may_leave_texts_as_they_stand():
    raw = analyser_with("long-words", normalise=False)
    assert raw.terms([APART[1]]) != raw.terms([TEXTS[1]]) == [TEXTS[1].split()]
    asked = sentflow.retrieve(TEXTS[1:2], APART[1:2], "bm25-raw")
    assert asked["0"]["0"] < sentflow.retrieve(TEXTS[1:2], APART[1:2], "bm25")["0"]["0"]
