"""BM25 on the question sets of the catalog, against values that another program computed from the same files.

Lucene's variant, k1 1.5, b 0.75, runs of two or more letters, no stop words unless said otherwise; ranked to 1,000,
equal scores in the order of the corpus. Measures by ir-measures 0.4.3. Values have four digits; tolerance 1e-3.
"""

import pytest
from mirror_questions import mirror_corpus, mirror_questions

from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.bm25 import Bm25, Bm25Settings
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.ranking import Run

pytestmark = pytest.mark.mirror

MEASURES = ["nDCG@10", "R@10", "R@100", "RR@10"]
TOLERANCE = 1e-3
ENGLISH = {"units": "long-words", "stop_words": "english"}
PLAIN = {"units": "long-words"}
VALUES = {
    "juristcu-pool": (0.6754, 0.6408, 0.9378, 0.9176),
    "juristcu": (0.5208, 0.4848, 0.9071, 0.8300),
    "juristcu-grade-1": (0.5208, 0.3483, 0.8035, 0.8333),
    "juristcu-grade-3": (0.5183, 0.6463, 0.9564, 0.7739),
    "juristcu-clicks": (0.4702, 0.6273, 0.8707, 0.4368),
    "oab-statement": (0.4543, 0.5952, 0.8186, 0.4313),
    "oab-statement-answer": (0.6610, 0.8084, 0.9331, 0.6359),
    "oab-answer": (0.5737, 0.7086, 0.8458, 0.5558),
    "stj": (0.7681, 0.8782, 0.9691, 0.7330),
    "faquad": (0.8888, 0.9711, 0.9978, 0.8621),
    "faquad-dev": (0.7661, 0.9524, 1.0000, 0.7078),
    "qnli": (0.5625, 0.7043, 0.8607, 0.5175),
    "pira-pt": (0.8430, 0.9204, 0.9889, 0.8178),
    "pira-en": (0.8848, 0.9558, 0.9889, 0.8621),
    "npl": (0.3545, 0.1723, 0.4565, 0.6378),
    "scifact-validation": (0.6613, 0.7809, 0.8759, 0.6283),
    "scifact-evidence": (0.8166, 0.9242, 0.9537, 0.7867),
    "scifact-train": (0.6663, 0.7841, 0.9078, 0.6346),
    "med": (0.6731, 0.3051, 0.7649, 0.9278),
    "msmarco-ko": (0.6219, 0.7140, 0.7910, 0.5956),
    "msmarco-en": (0.8774, 0.9408, 0.9703, 0.8568),
    "korquad": (0.8345, 0.9072, 0.9413, 0.8109),
}
FAST = {"juristcu", "oab-statement", "oab-statement-answer", "oab-answer", "faquad-dev", "med"}
SAME_LANGUAGE = {"pira-pt-en": "pira-en", "pira-en-pt": "pira-pt", "msmarco-ko-en": "msmarco-en"}
GROUPS = {
    "search log": (0.3406, 0.3374, 0.8974, 0.5482),
    "expression from LLM question": (0.6292, 0.5972, 0.9376, 0.9650),
    "LLM": (0.5926, 0.5197, 0.8862, 0.9767),
}


def measured(name, mirror, analyser=PLAIN, measures=MEASURES):
    questions = mirror_questions(name, mirror)
    corpus = mirror_corpus(questions.corpus, mirror)
    terms = Analyser.from_settings(analyser, where=name).terms
    found = Bm25(terms(corpus.whole_texts()), Bm25Settings()).search(terms(questions.texts), 1000)
    return evaluate(
        Run(corpus.ids, dict(zip(questions.ids, found, strict=True))), questions, corpus, measures
    )


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in VALUES]
)
def test_bm25_gives_the_values_of_another_program(name, mirror):
    found = measured(name, mirror).values
    means = [float(found[measure].mean()) for measure in MEASURES]
    assert means == pytest.approx(VALUES[name], abs=TOLERANCE)


def test_groups_of_questions_are_scored_apart(mirror):
    found = measured("juristcu", mirror)
    for group, expected in GROUPS.items():
        rows = [row for row, name in enumerate(found.groups) if name == group]
        assert len(rows) == 50
        means = [float(found.values[measure][rows].mean()) for measure in MEASURES]
        assert means == pytest.approx(expected, abs=TOLERANCE)


def test_german_court_decisions(mirror):
    """MTEB states .7675 / .880 / .995 for its own BM25, with stop words and stems."""
    found = measured("legalquad", mirror).values
    means = [float(found[measure].mean()) for measure in MEASURES[:3]]
    assert means == pytest.approx((0.7605, 0.850, 0.980), abs=TOLERANCE)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cranfield", {"nDCG@10": 0.5049, "AP": 0.4042, "R@100": 0.7360}),
        ("cranfield-coded", {"nDCG@10": 0.3689, "AP": 0.2856}),
    ],
)
def test_both_readings_of_the_codes_of_cranfield(name, expected, mirror):
    """English stop words. The code −1, which stands beside 1 (best) to 4, is of documents that BM25 finds well."""
    found = measured(name, mirror, ENGLISH, [*expected]).values
    assert {measure: float(values.mean()) for measure, values in found.items()} == pytest.approx(
        expected, abs=TOLERANCE
    )


def test_the_clicked_queries_that_are_test_queries_are_taken_out(mirror):
    """277 rows of the log, of which some repeat a query and a document: 49 queries, 266 pairs.

    51 more differ from another query in operators alone, with 42 pairs that the other one has, too.
    """
    every, train = (mirror_questions(name, mirror) for name in ("juristcu-clicks", "juristcu-clicks-train"))
    assert (len(every) - len(train), len(every.documents) - len(train.documents)) == (49 + 51, 266 + 42)
    assert not [text for text in train.texts if set(text) & set('"$()*')]
    assert 'parceria público e privada e "pregão"' in every.texts
    assert "parceria público e privada e pregão" in train.texts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_documents"), [("pira-pt-en", 309), ("pira-en-pt", 309), ("msmarco-ko-en", 6978)]
)
def test_questions_in_another_language_have_the_answers_of_their_row(name, n_documents, mirror):
    questions, same = mirror_questions(name, mirror), mirror_questions(SAME_LANGUAGE[name], mirror)
    assert len(mirror_corpus(questions.corpus, mirror)) == n_documents
    assert (questions.ids, questions.documents) == (same.ids, same.documents)
    assert questions.texts != same.texts
