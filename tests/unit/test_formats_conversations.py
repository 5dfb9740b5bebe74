"""Questions and answers in two files, and documents with a token in each line."""

import json
import zipfile

import pytest

from sentflow.errors import DataError
from sentflow.texts.record_readers import RecordReader


def read(tmp_path, format, content):
    path = tmp_path / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    entry = {"format": format, "files": ["file"]}
    (records,) = RecordReader.from_settings(entry, where="here").read({"file": path}, (), where="here")
    return dict(zip(records.header, records.columns, strict=True))


def test_turns_of_questions_and_of_answers_have_the_same_names(tmp_path):
    question = {"question_id": 7, "category": "civil", "statement": "A case.", "turns": ["Who?", "Why?"]}
    answer = {"question_id": 7, "choices": [{"turns": ["She.", "So."]}]}
    asked = read(tmp_path, "turns", json.dumps(question) + "\n")
    told = read(tmp_path, "turns", json.dumps(answer) + "\n")
    assert asked["id"] == told["id"] == ["7/1", "7/2"]
    assert asked["statement_and_turn"] == ["A case. Who?", "A case. Why?"]
    assert told["turn"] == ["She.", "So."]


@pytest.mark.parametrize("line", ["{}", "[1]", '{"question_id": 1, "choices": []}', "no JSON"])
def test_a_line_without_turns_is_told_with_its_number(tmp_path, line):
    with pytest.raises(DataError, match="file, line 1: not of the form"):
        read(tmp_path, "turns", line + "\n")


def test_intents_end_where_another_part_begins(tmp_path):
    text = "## intent:greet\n- hello\n- good day\n\n## synonym:x\n- not this\n\n## intent:ask\n- how?\n"
    found = read(tmp_path, "rasa-intents", text)
    assert found == {"intent": ["greet", "greet", "ask"], "text": ["hello", "good day", "how?"]}


def test_the_first_text_of_a_template_is_its_answer(tmp_path):
    text = "templates:\n  utter_ask:\n  - text: So.\n  - text: Or so.\n  utter_image:\n  - image: x.png\n"
    assert read(tmp_path, "rasa-templates", text) == {"intent": ["ask"], "text": ["So."]}


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("rasa-intents", "- hello\n"),
        ("rasa-templates", "intents: [x]\n"),
        ("rasa-templates", "a: [\n"),
        ("turns", "\n"),
    ],
)
def test_a_file_of_another_kind_is_told(tmp_path, format, content):
    with pytest.raises(DataError, match="file"):
        read(tmp_path, format, content)


def test_tokens_become_text_and_members_documents(tmp_path):
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("part/one.conll", "The O\nlaw B-LAW\n( O\n1990 O\n) O\n. O\n\nEnd O\n")
        archive.writestr("readme.txt", "nothing")
    found = read(tmp_path, "conll-archive", path.read_bytes())
    assert found == {"document": ["part/one"], "text": ["The law (1990). End"]}


def test_an_archive_without_such_members_is_told(tmp_path):
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    with pytest.raises(DataError, match=r"holds no member \.conll"):
        read(tmp_path, "conll-archive", path.read_bytes())


def test_a_damaged_archive_is_told(tmp_path):
    with pytest.raises(DataError, match="file"):
        read(tmp_path, "conll-archive", b"PK\x03\x04 no archive")


def test_a_wrongly_encoded_member_is_told_with_its_name(tmp_path):
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.conll", b"lei\xe7 O\n")
    with pytest.raises(DataError, match=r"one\.conll"):
        read(tmp_path, "conll-archive", path.read_bytes())
