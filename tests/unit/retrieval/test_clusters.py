"""Which questions belong together: by what they are about, by shared documents, by part of a document's name."""

import numpy as np
import pytest

from sentflow.errors import DataError
from sentflow.retrieval.clusters import clusters_of
from sentflow.texts.corpora import Questions, read_questions, write_questions


def questions(judged, *, least=1, clusters=()):
    names = list(judged)
    pairs = [
        (row, document, grade) for row, name in enumerate(names) for document, grade in judged[name].items()
    ]
    return Questions(
        "asked", "c", "raw", "pt", least, names, [f"{name}?" for name in names], [""] * len(names),
        np.array([row for row, _, _ in pairs], dtype=np.int64),
        [document for _, document, _ in pairs],
        np.array([grade for _, _, grade in pairs], dtype=np.int64),
        clusters,
    )  # fmt: skip


LAWS = {
    "q1": {"law-1+art-2": 1},
    "q2": {"law-1+art-2": 1, "law-1+art-9": 1},
    "q3": {"law-2+art-1": 1},
    "q4": {"law-1+art-9": 1, "law-3+art-1": 0},
    "q5": {"law-3+art-1": 1},
    "ação": {"law-2+art-1": 0},
}


def test_questions_that_share_a_relevant_document_are_joined_through_others():
    found = clusters_of(questions(LAWS), "gold-document")
    assert found == {
        "q1": "law-1+art-2", "q2": "law-1+art-2", "q4": "law-1+art-2", "q3": "law-2+art-1", "q5": "law-3+art-1",
    }  # fmt: skip


def test_documents_below_the_relevant_grade_join_nothing():
    found = clusters_of(questions({"q1": {"a": 3, "b": 1}, "q2": {"b": 3}}, least=2), "gold-document")
    assert found == {"q1": "a", "q2": "b"}


def test_a_pattern_joins_the_questions_of_a_law():
    found = clusters_of(questions(LAWS), "gold-document", r"^([^/+]+)")
    assert found == {"q1": "law-1", "q2": "law-1", "q4": "law-1", "q3": "law-2", "q5": "law-3"}
    assert clusters_of(questions(LAWS), "gold-document", r"law-\d") == found


def test_the_order_of_judgements_changes_no_cluster():
    turned = {name: dict(reversed(judged.items())) for name, judged in reversed(LAWS.items())}
    members = [
        {frozenset(name for name in found if found[name] == one) for one in found.values()}
        for found in (
            clusters_of(questions(LAWS), "gold-document"),
            clusters_of(questions(turned), "gold-document"),
        )
    ]
    assert members[0] == members[1]


def test_a_column_names_clusters_and_a_question_without_one_stands_alone(tmp_path):
    asked = questions({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"b": 1}}, clusters=["Lei 1", "Lei 1", ""])
    assert clusters_of(asked, "column") == {"q1": "Lei 1", "q2": "Lei 1"}
    write_questions(tmp_path / "q.parquet", tmp_path / "j.parquet", asked)
    assert clusters_of(read_questions(tmp_path / "q.parquet", tmp_path / "j.parquet"), "column") == {
        "q1": "Lei 1",
        "q2": "Lei 1",
    }


def test_a_pattern_that_misses_a_relevant_document_is_refused():
    with pytest.raises(
        DataError, match=r"asked: cluster_pattern 'law-\[12\]' matches nothing in 1 identifiers .*'law-3"
    ):
        clusters_of(questions(LAWS), "gold-document", "law-[12]")


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(DataError, match="asked: no question has a cluster. Write the column of cluster:"):
        clusters_of(questions(LAWS), "column")
