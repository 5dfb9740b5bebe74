"""Corpora and questions from files, and everything that is refused, at once."""

import json
import tracemalloc

import pyarrow.parquet as pq
import pytest
from mirror_data import prepared_corpus

from sentflow.config.collections import CorpusSettings, QuestionSettings
from sentflow.errors import DataError
from sentflow.texts import corpora
from sentflow.texts.corpora import CorpusFile, copies, read_corpus, write_corpus
from sentflow.texts.prepare_collections import prepare_corpus, prepare_questions
from sentflow.texts.settings import CollectionChecks

COMMON = {"data_version": "raw", "language": "en"}


def corpus_of(tmp_path, lines, **keys):
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    named = {} if keys.get("ids") == "distinct" else {"id": "_id", "title": "title"}
    source = {"format": "jsonl", "files": [path.name], "text": "text", **named}
    entry = {**COMMON, "documents": [source], **keys}
    return prepared_corpus("c", [path], CorpusSettings.from_parts(entry), CollectionChecks.from_parts(entry))


def questions_of(tmp_path, questions, judgements, corpus, **keys):
    asked, judged = tmp_path / "questions.jsonl", tmp_path / "judgements.tsv"
    asked.write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    judged.write_text("\n".join(["query-id\tcorpus-id\tscore", *(judgements or [])]), encoding="utf-8")
    source = {"format": "jsonl", "files": [asked.name], "id": "_id", "text": "text"}
    columns = {"question": "query-id", "document": "corpus-id", "grade": "score"}
    sources = [] if judgements is None else [{"format": "tsv", "files": [judged.name], **columns}]
    entry = {**COMMON, "corpus": "c", "questions": [source], "judgements": sources, **keys}
    settings, raw = QuestionSettings.from_parts(entry), [asked, judged, *tmp_path.glob("test.tsv")]
    return prepare_questions("q", raw, settings, corpus, CollectionChecks.from_parts(entry))


DOCUMENTS = [
    {"_id": "d1", "title": "T", "text": "one"},
    {"_id": "d2", "title": "", "text": "two"},
    {"_id": "d3", "title": "", "text": "three"},
]
QUESTIONS = [{"_id": "q1", "text": "first?"}, {"_id": "q2", "text": "second?"}]


def test_all_mistakes_of_a_corpus_are_told_at_once(tmp_path):
    lines = [
        *DOCUMENTS,
        {"_id": "d1", "title": "T", "text": "other"},
        {"_id": "d4", "title": "", "text": " "},
    ]
    with pytest.raises(DataError) as raised:
        corpus_of(tmp_path, lines, rows=7)
    said = str(raised.value)
    assert "text is empty in row corpus.jsonl, row 5" in said
    assert "one id, but another text than before, in row d1 (corpus.jsonl, row 4)" in said
    assert "4 documents, expected 7" in said


def test_a_repeated_document_counts_once_and_a_column_may_be_missing_in_no_batch(tmp_path):
    lines = [{"_id": f"d{row}", "text": f"text {row}"} for row in range(3000)]
    titles = [{**line, "title": "T"} for line in lines[:2]]
    with pytest.raises(DataError, match=r"no column 'title'"):
        corpus_of(tmp_path, lines)
    with pytest.raises(DataError, match=r"one id, but another text than before, in row d2 .*row 3001\)"):
        corpus_of(tmp_path, [*titles, *lines[2:], titles[0] | {"_id": "d2"}])
    corpus = corpus_of(tmp_path, [*titles, *lines[2:], titles[1]], rows=3000)
    assert (corpus.ids, corpus.titles[:3]) == ([line["_id"] for line in lines], ["T", "T", ""])
    distinct = corpus_of(tmp_path, [*lines, *lines[:5]], ids="distinct", rows=3000)
    assert (distinct.ids[-1], distinct.texts) == ("3000", [line["text"] for line in lines])


def test_texts_of_documents_are_not_held(tmp_path):
    path, n, size = tmp_path / "corpus.jsonl", 2500, 4000
    path.write_text(
        "".join(json.dumps({"_id": row, "text": f"{row} {'x' * size}"}) + "\n" for row in range(n))
    )
    source = {"format": "jsonl", "files": [path.name], "id": "_id", "text": "text"}
    settings = CorpusSettings.from_parts({**COMMON, "documents": [source]})
    tracemalloc.start()
    n_found = sum(1 for _ in prepare_corpus("c", [path], settings))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_found == n and peak < n * size


def test_a_file_in_several_groups_of_rows_is_that_of_one(tmp_path, monkeypatch):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    write_corpus(tmp_path / "one.parquet", corpus)
    for limit in ("_GROUP_ROWS", "_GROUP_BYTES"):
        monkeypatch.setattr(corpora, limit, 2)
        write_corpus(tmp_path / "many.parquet", corpus)
        assert pq.ParquetFile(tmp_path / "many.parquet").num_row_groups > 1
        assert read_corpus(tmp_path / "many.parquet") == corpus
        stored = CorpusFile(tmp_path / "many.parquet")
        assert (stored.name, len(stored)) == ("c", 3)
        assert [*stored.documents()] == [*stored.documents()] == [*corpus.documents()]
        monkeypatch.undo()
    (tmp_path / "many.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="has no digest"):
        CorpusFile(tmp_path / "many.parquet")


def test_copies_of_some_documents_are_those_of_all_that_have_their_texts(tmp_path):
    texts = ["A  b", "a b", "É", "c", "e\u0301", "A B"]
    lines = [{"_id": f"d{row}", "title": "", "text": text} for row, text in enumerate(texts)]
    corpus = corpus_of(tmp_path, lines)
    first = ["d0", "d1", "d5"]
    every = {**dict.fromkeys(first, first), "d2": ["d2", "d4"], "d4": ["d2", "d4"]}
    assert copies(corpus, corpus.ids) == every
    assert copies(corpus, {"d5", "d3"}) == dict.fromkeys(first, first)
    assert copies(corpus, ()) == {}


def test_all_mistakes_of_questions_are_told_at_once(tmp_path):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    wrong = [*QUESTIONS, {"_id": "q1", "text": "another?"}, {"_id": "q3", "text": ""}]
    judged = ["q1\td1\tx", "q9\td1\t1", "q1\td9\t1", "q2\td3\t1", "q2\td3\t2"]
    with pytest.raises(DataError) as raised:
        questions_of(tmp_path, wrong, judged, corpus)
    said = str(raised.value)
    for part in (
        "the question or its id is empty in row questions.jsonl, row 4",
        "one id, but another question than before, in row q1",
        "the grade is none of those expected (whole numbers) in row judgements.tsv, row 1 ('x')",
        "judgements of questions that do not exist: row q9",
        "judgements of documents that the corpus c lacks: row d9",
        "a document is judged twice, with different grades: row d3 for q2",
    ):
        assert part in said


def test_a_part_of_the_questions_shares_none_with_another_and_all_parts_are_all(tmp_path):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    asked = [{"_id": f"q{number}", "text": f"question {number}"} for number in range(60)]
    judged = [f"q{number}\td1\t1" for number in range(60)]

    def kept(*parts):
        return questions_of(tmp_path, asked, judged, corpus, part={"of": 3, "keep": [*parts]})

    parts = [kept(number) for number in (1, 2, 3)]
    assert sorted(one for part in parts for one in part.ids) == sorted(one["_id"] for one in asked)
    assert all(len(part) > 10 and len(part.judged) == len(part) for part in parts)
    assert sorted(kept(1, 3).ids) == sorted(parts[0].ids + parts[2].ids)
    # of other questions beside it, a question stays in its part
    asked, judged = asked[:20], judged[:20]
    assert kept(2).ids == [one for one in parts[1].ids if int(one[1:]) < 20]


@pytest.mark.parametrize(
    ("column", "other", "left"),
    [
        (
            "text",
            "FIRST e? second\nSecond, a",
            ["q1", "q3"],
        ),  # signs, case and single letters do not tell apart
        ("id", "q3\nq1", ["q2"]),
    ],
)
def test_questions_of_a_test_set_are_taken_out_with_their_judgements(tmp_path, column, other, left):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    (tmp_path / "test.tsv").write_text(f"asked\n{other}\n", encoding="utf-8")
    without = [{"format": "tsv", "files": ["test.tsv"], column: "asked"}]
    asked = [*QUESTIONS, {"_id": "q3", "text": "first"}]
    judged = ["q1\td1\t1", "q2\td2\t1", "q3\td3\t1"]
    found = questions_of(tmp_path, asked, judged, corpus, without=without, rows=len(left), judged=len(left))
    assert found.ids == left
    assert len(found.by_question()) == len(found.documents) == len(left)


def test_questions_that_are_documents_of_their_ids_are_told_or_left_out_with_their_judgements(
    tmp_path, caplog
):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    asked, judged = (
        [{"_id": "d1", "text": "One"}, {"_id": "d2", "text": "else"}],
        ["d1\td2\t1", "d1\td1\t1", "d2\td1\t1"],
    )
    assert len(questions_of(tmp_path, asked, judged, corpus).grades) == 3
    assert "q: 1 questions" in caplog.text and "same_ids: exclude" in caplog.text
    caplog.clear()
    questions_of(tmp_path, asked, judged, corpus, same_ids="keep")
    questions_of(tmp_path, asked[1:], judged[2:], corpus)  # equal ids alone
    found = questions_of(tmp_path, asked, judged, corpus, same_ids="exclude")
    assert found.by_question() == {"d1": {"d2": 1}, "d2": {"d1": 1}}
    assert "same_ids" not in caplog.text
