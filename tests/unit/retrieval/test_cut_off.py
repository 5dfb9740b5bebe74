"""What encoders cut off is told of every dense retriever: how many texts, how much of them, or that it is not known."""

from dataclasses import replace

import fake_retrieval
import pytest

from sentflow.report.families.retrieval import words


@pytest.fixture(scope="module")
def dense():
    """The rows of one retriever on one set, as those of an encoder that read everything."""
    rows = fake_retrieval.results().rows
    own = [row for row in rows if (row.questions, row.retriever) == (rows[0].questions, rows[0].retriever)]
    read = {"documents_cut": 0.0, "documents_lost": 0.0, "questions_cut": 0.0, "questions_lost": 0.0}
    return [replace(row, is_baseline=False, retriever_title="Dense", **read) for row in own]


def test_nothing_is_said_where_no_encoder_was_searched(dense):
    assert words.cut_note([replace(row, is_baseline=True) for row in dense]) == ""


def test_that_everything_was_read(dense):
    assert words.cut_note(dense) == "Encoders read every text to its end."


def test_how_many_texts_were_cut_off_and_how_much_of_all(dense):
    cut = [replace(row, documents_cut=200.0, documents_lost=0.953, n_documents=1000) for row in dense]
    note = words.cut_note(cut)
    assert f"Dense on {dense[0].questions}: 200 of 1,000 documents (95.3\u202f% of all their tokens)" in note
    other = [replace(row, retriever="other", retriever_title="Other") for row in dense]
    assert words.cut_note([*cut, *other]).endswith("The other encoders read every text to its end.")
    both = [replace(row, questions_cut=3.0, questions_lost=0.01) for row in cut]
    assert "and 3 of " in words.cut_note(both)


def test_encoders_that_do_not_say(dense):
    silent = [replace(row, documents_cut=float("nan")) for row in dense]
    assert words.cut_note(silent) == "What they cut off is not known of Dense: their encoders do not say."
