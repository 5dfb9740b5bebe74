"""What an audit counts: copies of questions and documents, contradictions, and what training has shown."""

import numpy as np
import pytest

from sentflow.audit.question_audit import Judged, audit_questions
from sentflow.texts.corpora import Corpus, Questions

LONG = "how many days does the city have to answer a request for a licence"


def corpus_of(name="c", **texts):
    return Corpus(name, "raw", "en", list(texts), [""] * len(texts), list(texts.values()))


def questions_of(name, asked, judged, *, corpus="c", least=1):
    rows = [(row, *pair) for row, key in enumerate(asked) for pair in judged.get(key, {}).items()]
    return Questions(
        name, corpus, "raw", "en", least, list(asked), list(asked.values()), [""] * len(asked),
        np.array([row for row, _, _ in rows], dtype=np.int64),
        [document for _, document, _ in rows],
        np.array([grade for _, _, grade in rows], dtype=np.int64),
    )  # fmt: skip


CORPUS = corpus_of(a="wings", b="Wings ", c="heat", d="", e="what is heat")


def test_what_occurs_twice_or_is_missing_is_counted():
    asked = {"q1": "What is lift?", "q2": "what is lift", "q3": "What is heat?", "q4": "drag?", "q5": "?"}
    judged = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"c": 1}, "q4": {"a": 0}}
    found = audit_questions(Judged(questions_of("q", asked, judged), CORPUS), [])
    assert (found["without_judgement"], found["without_relevant"], found["empty_documents"]) == (1, 2, 1)
    assert found["document_copies"] == {"documents": 2, "texts": 1}
    assert found["judged_copies"] == {"texts": 1, "different_grades": 1}
    assert found["question_copies"] == {
        "questions": 2, "texts": 1, "different_answers": 0, "examples": [["q1", "q2"]]
    }  # fmt: skip
    assert (found["leaked"], found["training"], found["same_document"]) == ({}, {}, 0)


def test_equal_questions_with_other_answers_and_questions_that_are_documents():
    asked = {"q1": "what is heat", "q2": "What is heat?", "q3": "WHAT IS  HEAT"}
    judged = {"q1": {"a": 1}, "q2": {"c": 1}, "q3": {"a": 1}}
    found = audit_questions(Judged(questions_of("q", asked, judged), CORPUS), [])
    assert found["question_copies"]["different_answers"] == 1
    assert found["questions_that_are_documents"] == 1


def test_questions_of_training_sets_leak_as_copies_or_nearly_or_by_their_document():
    asked = {"q1": f"{LONG}?", "q2": "Drag!", "q3": "What is lift?", "q4": "noise"}
    test = Judged(questions_of("q", asked, {"q1": {"a": 1}, "q2": {"c": 1}, "q3": {"e": 1}}), CORPUS)
    first = {"t1": f"{LONG} please", "t2": "unrelated"}
    other = corpus_of("other", x="HEAT", y="sound")
    training = [
        Judged(questions_of("one", first, {"t2": {"e": 1}}), CORPUS),
        Judged(questions_of("two", {"t1": "drag", "t2": LONG}, {"t1": {"x": 1}}, corpus="other"), other),
    ]
    found = audit_questions(test, training)
    assert found["leaked"] == {"q1": "copy", "q2": "copy"}
    assert found["training"] == {
        "one": {"n_questions": 2, "copies": 0, "similar": 1},
        "two": {"n_questions": 2, "copies": 2, "similar": 0},
    }
    assert found["same_document"] == 2  # q2 by a copy in another corpus, q3 by the document itself
    assert audit_questions(test, training[:1])["leaked"] == {"q1": "near"}


def test_similar_questions_of_the_test_are_counted_and_those_of_training_are_not():
    asked = {"q1": f"{LONG}?", "q2": f"{LONG} please?"}
    training = Judged(questions_of("t", {"t1": "a b c d e f g h", "t2": "a b c d e f g h i"}, {}), CORPUS)
    found = audit_questions(Judged(questions_of("q", asked, {}), CORPUS), [training])
    assert found["similar_questions"] == {"pairs": 1, "threshold": 0.8, "examples": [["q1", "q2"]]}


@pytest.mark.parametrize("text", ["!!", "🙂", "a"])
def test_questions_without_letters_are_compared_as_they_are(text):
    test = Judged(questions_of("q", {"q1": text, "q2": "x"}, {}), CORPUS)
    found = audit_questions(test, [Judged(questions_of("t", {"t1": text}, {}), CORPUS)])
    assert found["leaked"] == {"q1": "copy"}
