"""Corpora and questions from files, and everything that is refused, at once."""

import json

import numpy as np
import pytest

from sentflow.errors import ConfigError, DataError
from sentflow.texts.collection import collect, read_table
from sentflow.texts.corpora import Corpus, read_corpus, read_questions, write_corpus, write_questions
from sentflow.texts.corpus_settings import CorpusSettings, QuestionSettings
from sentflow.texts.prepare_corpus import prepare_corpus
from sentflow.texts.prepare_questions import prepare_questions

COMMON = {"data_version": "raw", "language": "en"}


def corpus_of(tmp_path, lines, **keys):
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    named = {} if keys.get("ids") == "distinct" else {"id": "_id", "title": "title"}
    source = {"format": "jsonl", "files": [path.name], "text": "text", **named}
    entry = {**COMMON, "documents": [source], **keys}
    return prepare_corpus("c", [path], CorpusSettings.from_settings(entry, corpus="c"))


def questions_of(tmp_path, questions, judgements, corpus, **keys):
    asked, judged = tmp_path / "questions.jsonl", tmp_path / "judgements.tsv"
    asked.write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    judged.write_text("\n".join(["query-id\tcorpus-id\tscore", *(judgements or [])]), encoding="utf-8")
    entry = {
        **COMMON,
        "corpus": "c",
        "questions": [{"format": "jsonl", "files": [asked.name], "id": "_id", "text": "text"}],
        "judgements": [
            {
                "format": "tsv",
                "files": [judged.name],
                "question": "query-id",
                "document": "corpus-id",
                "grade": "score",
            }
        ][: 0 if judgements is None else 1],
        **keys,
    }
    settings = QuestionSettings.from_settings(entry, name="q")
    return prepare_questions("q", [asked, judged, *tmp_path.glob("test.tsv")], settings, corpus)


DOCUMENTS = [
    {"_id": "d1", "title": "T", "text": "one"},
    {"_id": "d2", "title": "", "text": "two"},
    {"_id": "d3", "title": "", "text": "three"},
]
QUESTIONS = [{"_id": "q1", "text": "first?"}, {"_id": "q2", "text": "second?"}]


def test_a_folder_of_beir_is_read(tmp_path):
    corpus = corpus_of(tmp_path, DOCUMENTS, rows=3)
    assert corpus.ids == ["d1", "d2", "d3"]
    assert corpus.whole_texts() == ["T one", "two", "three"]
    questions = questions_of(tmp_path, QUESTIONS, ["q1\td1\t2", "q1\td2\t0", "q2\td3\t1"], corpus, judged=3)
    assert questions.by_question() == {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}


def test_the_files_of_corpus_and_questions_hold_everything(tmp_path):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    questions = questions_of(tmp_path, QUESTIONS, ["q1\td1\t2", "q2\td3\t1"], corpus)
    places = [tmp_path / name for name in ("c.parquet", "q.parquet", "j.parquet")]
    write_corpus(places[0], corpus)
    write_questions(*places[1:], questions)
    assert read_corpus(places[0]) == corpus
    found = read_questions(*places[1:])
    assert found.by_question() == questions.by_question()
    assert (found.texts, found.relevant_grade, found.corpus) == (questions.texts, 1, "c")
    assert collect(map(read_table, places[:2])).texts == ["T one", "two", "three", "first?", "second?"]


def test_equal_texts_are_one_document_where_files_name_none(tmp_path):
    corpus = corpus_of(tmp_path, [{"text": "a"}, {"text": "b"}, {"text": "a "}], ids="distinct")
    assert (corpus.ids, corpus.texts) == (["1", "2"], ["a", "b"])


def test_a_repeated_document_with_its_text_is_no_mistake(tmp_path):
    assert len(corpus_of(tmp_path, [*DOCUMENTS, DOCUMENTS[0]])) == 3


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


def test_empty_documents_may_stay_and_are_embedded_by_nobody(tmp_path):
    corpus = corpus_of(tmp_path, [*DOCUMENTS, {"_id": "d4", "title": "", "text": ""}], empty="keep")
    assert len(corpus) == 4
    assert len([*corpus.row_texts()]) == 3


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


def test_judgements_of_unknown_documents_can_be_left_out(tmp_path, caplog):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    found = questions_of(tmp_path, QUESTIONS, ["q1\td9\t1", "q2\td3\t1"], corpus, unknown="leave-out")
    assert found.documents == ["d3"]
    assert "1 judgements are of documents that the corpus lacks" in caplog.text
    assert "1 of 2 questions have no document of grade 1 or more" in caplog.text


def test_no_question_with_a_relevant_document_is_an_error(tmp_path):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    with pytest.raises(DataError, match="no question has a document of grade 2 or more"):
        questions_of(tmp_path, QUESTIONS, ["q1\td1\t1"], corpus, relevant_grade=2)


def test_questions_without_judgements_can_be_read_again(tmp_path, caplog):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    questions = questions_of(tmp_path, QUESTIONS, None, corpus)
    places = [tmp_path / name for name in ("q.parquet", "j.parquet")]
    write_questions(*places, questions)
    found = read_questions(*places)
    assert (found.texts, found.by_question()) == (["first?", "second?"], {"q1": {}, "q2": {}})
    assert "no judgements; it can be searched, but not evaluated" in caplog.text


def test_questions_of_other_splits_are_left_out_where_a_file_holds_all(tmp_path):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    found = questions_of(
        tmp_path, [*QUESTIONS, QUESTIONS[1]], ["q2\td3\t1"], corpus, unjudged="leave-out", rows=1
    )
    assert (found.ids, found.judged.tolist(), found.documents) == (["q2"], [0], ["d3"])


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


def test_operators_of_a_search_engine_are_no_part_of_a_question(tmp_path):
    """Questions that differ in them alone become one, and judgements find it by the text that they name."""
    log, corpus = tmp_path / "log.tsv", corpus_of(tmp_path, DOCUMENTS)
    columns = {"format": "tsv", "files": ["log.tsv"], "remove": r'["$()]|\badj\b'}
    entry = {
        **COMMON,
        "corpus": "c",
        "ids": "distinct",
        "questions": [{**columns, "text": "query"}],
        "judgements": [{**columns, "question_text": "query", "document": "document"}],
    }
    lines = ["query\tdocument", '"one" adj two\td1', " one two\td2", "(three) $\td3", "adj\td3"]

    def found(n_lines):
        log.write_text("\n".join(lines[:n_lines]), encoding="utf-8")
        return prepare_questions("q", [log], QuestionSettings.from_settings(entry, name="q"), corpus)

    assert found(4).texts == ["one two", "three"]
    assert found(4).by_question() == {"1": {"d1": 1, "d2": 1}, "2": {"d3": 1}}
    with pytest.raises(DataError, match="the question or its id is empty in row log.tsv, row 4"):
        found(5)
    columns["remove"] = "("
    with pytest.raises(ConfigError, match=r"questions.0.remove: '\(' is no regular expression"):
        QuestionSettings.from_settings({**entry, "questions": [columns]}, name="q")


def test_grades_as_written_and_rows_that_judge_nothing(tmp_path):
    corpus = corpus_of(tmp_path, DOCUMENTS)
    found = questions_of(
        tmp_path,
        QUESTIONS,
        ["q1\td1\tyes", "q1\td2\tno", "q2\td3\tyes"],
        corpus,
        grades={"yes": 1, "no": None},
    )
    assert found.documents == ["d1", "d3"]


def test_a_column_that_cannot_be_meant_is_refused():
    source = {"format": "csv", "files": ["a.csv"], "id": "id", "text": "text"}
    with pytest.raises(
        ConfigError, match="corpora.c.documents.0.question: nothing of this kind is read there"
    ):
        CorpusSettings.from_settings({**COMMON, "documents": [{**source, "question": "q"}]}, corpus="c")
    with pytest.raises(ConfigError, match="corpora.c.documents.0: write the column of id"):
        CorpusSettings.from_settings(
            {**COMMON, "documents": [{key: source[key] for key in source if key != "id"}]}, corpus="c"
        )


def test_a_long_document_is_kept_whole(tmp_path):
    long = "word " * 50_000
    corpus = corpus_of(tmp_path, [{"_id": "long", "title": "", "text": long}])
    assert corpus.texts == [long.strip()]
    assert isinstance(corpus, Corpus) and np.char.str_len(corpus.texts[0]) > 200_000
