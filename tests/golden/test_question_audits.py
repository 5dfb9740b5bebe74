"""What audits find in real question sets: what other programs and pages report of the same files, and what is new."""

import pytest
from mirror_data import mirror_corpus, mirror_questions

from sentflow.audit.question_audit import Judged, audit_questions

pytestmark = [pytest.mark.mirror, pytest.mark.nightly]


@pytest.fixture
def audited(mirror):
    def judged(name):
        questions = mirror_questions(name, mirror)
        return Judged(questions, mirror_corpus(questions.corpus, mirror))

    return lambda name, *training: audit_questions(judged(name), [judged(other) for other in training])


def test_questions_of_a_test_that_occur_in_training(audited):
    for name, training, counts, same_document in (
        ("faquad-dev", "faquad-train", {"n_questions": 837, "copies": 1, "similar": 1}, 7),
        # BEIR's test split against its training split
        ("scifact-validation", "scifact-train", {"n_questions": 809, "copies": 2, "similar": 48}, 196),
        ("juristcu", "juristcu-clicks", {"n_questions": 3054, "copies": 25, "similar": 5}, 150),
        # without the queries that are equal to a test query: what else is known of it
        ("juristcu", "juristcu-clicks-train", {"n_questions": 2954, "copies": 0, "similar": 9}, 149),
        ("zalo-subset-test", "zalo-subset-train", {"n_questions": 618, "copies": 0, "similar": 1}, 30),
        ("zalo-subset-alqac23", "zalo-subset-train", {"n_questions": 618, "copies": 0, "similar": 1}, 35),
        ("alqac-2023-private", "alqac-2023-train", {"n_questions": 100, "copies": 1, "similar": 1}, 28),
    ):
        found = audited(name, training)
        assert found["training"] == {training: counts}
        assert len(found["leaked"]) == counts["copies"] + counts["similar"]
        assert found["same_document"] == same_document


def test_copies_among_documents_and_questions(audited):
    court = audited("juristcu")
    assert court["document_copies"] == {"documents": 282, "texts": 123}
    assert court["judged_copies"] == {"texts": 83, "different_grades": 8}
    theses = audited("stj")
    assert theses["questions_that_are_documents"] == 1
    assert {key: theses["question_copies"][key] for key in ("questions", "texts", "different_answers")} == {
        "questions": 193,
        "texts": 77,
        "different_answers": 49,
    }
    assert audited("cranfield")["empty_documents"] == 2
