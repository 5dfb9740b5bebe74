"""Files of collections as strangers may send them: every reader gives texts, or says what is wrong with a file."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sentflow.errors import ConfigError, DataError
from sentflow.texts.record_readers import RecordReader

TAGS = [
    "<DOC>",
    "</DOC>",
    "<DOCNO>",
    "</DOCNO>",
    "<TEXT>",
    "</TEXT>",
    "<TITLE>",
    "<top>",
    "</top>",
    "<num>",
    "<desc>",
]
LINES = [".I 1", ".I", ".T", ".W", ".X", "/", "1", "Art. 1º", "Questão 1", "OPTIONS", "A:CORRECT) x", "B) y"]
ENTRIES = [
    "- exam: 2010-01",
    "  question: 1",
    "  urn: urn:lex:br;8906!art1",
    "query-id\tcorpus-id\tscore",
    "q\td\t1",
]
KEYS = [
    "data",
    "paragraphs",
    "qas",
    "id",
    "_id",
    "question",
    "context",
    "title",
    "text",
    "items",
    "law_id",
    "articles",
]
KEYS += ["article_id", "question_id", "relevant_articles"]
FORMATS = [
    "smart",
    "slashed",
    "squad",
    "laws",
    "law-questions",
    "beir",
    "beir-judgements",
    "trec",
    "trec-topics",
]
FORMATS += ["statute", "oab-exam", "oab-justifications"]

PIECES = st.lists(st.sampled_from([*TAGS, *LINES, *ENTRIES]) | st.text(max_size=8), max_size=25)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=20,
)
SQUAD = {
    "data": [{"title": "t", "paragraphs": [{"context": "c", "qas": [{"id": "1", "question": "q"}] * 2}]}]
}
LAWS = [{"law_id": "l", "articles": [{"article_id": "1", "title": "", "text": "x"}, {"id": 2, "text": "y"}]}]
ASKED = {
    "items": [
        {"question_id": "1", "question": "q", "relevant_articles": [{"law_id": "l", "article_id": "1"}]}
    ]
}


def read(tmp_path: Path, format: str, content: bytes, name: str = "file.txt") -> None:
    """Read, and check what a reader promises."""
    (tmp_path / name).write_bytes(content)
    reader = RecordReader.from_settings({"format": format, "files": [name]}, where="here")
    try:
        (found,) = reader.read({name: tmp_path / name}, ["_id", "id", "title", "text"], where="here")
    except (DataError, ConfigError) as error:
        assert str(error).strip()
        return
    assert len(found) > 0
    for column in found.columns:
        assert column is None or (len(column) == len(found) and all(isinstance(cell, str) for cell in column))


ANY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("format", FORMATS)
@ANY
@given(pieces=PIECES, end=st.sampled_from(["\n", "\r\n", " "]))
def test_any_text_is_read_or_refused(format, pieces, end, tmp_path):
    read(tmp_path, format, end.join(pieces).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("format", ["squad", "laws", "law-questions", "beir", "beir-judgements"])
@ANY
@given(value=JSON)
def test_any_json_is_read_or_refused(format, value, tmp_path):
    read(tmp_path, format, json.dumps(value).encode())


@pytest.mark.parametrize(("format", "right"), [("squad", SQUAD), ("laws", LAWS), ("law-questions", ASKED)])
@ANY
@given(other=JSON, data=st.data())
def test_a_file_that_is_wrong_in_one_place_is_read_or_refused(format, right, other, data, tmp_path):
    changed = json.loads(json.dumps(right))
    node = changed
    while True:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key = data.draw(st.sampled_from(list(keys)))
        if not isinstance(node[key], dict | list) or not node[key] or data.draw(st.booleans()):
            break
        node = node[key]
    node[key] = other
    read(tmp_path, format, json.dumps(changed).encode())


@ANY
@given(
    pieces=st.lists(
        st.sampled_from(["<a>", "</a>", '<Artigo id="art1">', "</Artigo>", '<Artigo id="x">', "text"])
    )
)
def test_any_xml_is_read_or_refused(pieces, tmp_path):
    read(tmp_path, "statute", "".join(pieces).encode(), "law.xml")
