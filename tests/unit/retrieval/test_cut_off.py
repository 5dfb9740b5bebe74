"""What encoders cut off is told of every dense retriever: how many texts, how much of them, or that it is not known."""

from dataclasses import fields, replace

import pytest

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow


@pytest.fixture(scope="module")
def dense():
    """The row of a retriever on a set, whose encoder read everything."""
    of_type = {"str": "", "int": 1, "float": 0.0, "bool": False}
    values = {
        field.name: of_type[getattr(field.type, "__name__", field.type)] for field in fields(RetrievalRow)
    }
    shown = {
        "questions": "q",
        "retriever": "dense",
        "retriever_title": "Dense",
        "is_main": True,
        "n_documents": 1000,
    }
    return [RetrievalRow(**(values | shown))]


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
