"""Readers of files of test collections, statutes and exams, on files written here."""

import json
import zipfile
from typing import get_args

import pandas as pd
import pytest

from sentflow.config.collections import Source
from sentflow.errors import ConfigError, DataError
from sentflow.texts.formats.classic import (
    read_slashed,
    read_smart,
    read_spaced,
    read_trec_documents,
    read_trec_topics,
)
from sentflow.texts.formats.delimited import read_matched_lines
from sentflow.texts.formats.documents import read_oab_exam, read_oab_justifications, read_statute
from sentflow.texts.formats.json_records import read_law_questions, read_laws, read_squad
from sentflow.texts.formats.raw import RawFile
from sentflow.texts.formats.table import read_records, record_batches
from sentflow.texts.sources import literal_list


@pytest.fixture
def raw(tmp_path):
    def write(text: str, name: str = "raw.txt", encoding: str = "utf-8") -> RawFile:
        (tmp_path / name).write_bytes(text.encode(encoding))
        return RawFile(tmp_path / name, "csv", encoding)

    return write


def columns(records, *names):
    found = records.pick({name: name for name in names})
    return [found[name] for name in names]


def test_smart_joins_the_lines_of_a_field_and_numbers_records(raw):
    found = read_smart(
        raw(
            ".I 7\r\n.T\r\na title\r\n.A\r\nx\r\n.W\r\nfirst line\r\n  second\r\n.I 9\r\n.W\r\nother\r\n.I\r\n"
        )
    )
    assert columns(found, "id", "title", "text") == [
        ["7", "9"],
        ["a title", ""],
        ["first line second", "other"],
    ]
    assert columns(found, "order") == [["1", "2"]]


def test_slashed_records(raw):
    ids, texts = columns(read_slashed(raw("\n1\nfirst\nline\n   /\n2\nsecond\n/\n")), "id", "text")
    assert (ids, texts) == (["1", "2"], ["first line", "second"])
    with pytest.raises(DataError, match="record 2: 'no number' is no number"):
        read_slashed(raw("1\na\n/\nno number\n/\n"))


def test_spaced_fields(raw):
    found = read_spaced(raw("1 0 13\t1\n\n2  0 14 -1 \n"), ["question", "zero", "document", "grade"])
    assert columns(found, "document", "grade") == [["13", "14"], ["1", "-1"]]
    message = r"expected 2 fields per line \(a b\), found another number in line 2 \(3\)"
    with pytest.raises(DataError, match=message):
        read_spaced(raw("1 2\n1 2 3\n"), ["a", "b"])


def test_matched_lines_have_the_named_groups(raw):
    found = read_matched_lines(
        raw("head\n\t1 - (12) a text\n\t2 - (3) b\n"), r"\t\d+ - \((?P<id>\d+)\) (?P<text>.*)"
    )
    assert columns(found, "id", "text") == [["12", "3"], ["a text", "b"]]
    assert found.names == ["2", "3"]
    for pattern, error, said in (
        ("a", ConfigError, "names no group"),
        ("(?P<id>z)", DataError, "matches none of 4 lines"),
    ):
        with pytest.raises(error, match=said):
            read_matched_lines(raw("head\n\t1 - (12) a text\n\t2 - (3) b\n"), pattern)


def test_squad(raw):
    text = '{"data": [{"title": "t", "paragraphs": [{"context": "c", "qas": [{"id": 4, "question": "q"}]}]}]}'
    found = columns(read_squad(raw(text)), "question_id", "question", "context", "title")
    assert found == [["4"], ["q"], ["c"], ["t"]]
    for wrong in ("[]", "{}", '{"data": [{"paragraphs": []}]}', "no json"):
        with pytest.raises(DataError):
            read_squad(raw(wrong))


def test_laws_of_both_challenges(raw):
    zalo = '[{"law_id": "1/qh", "articles": [{"article_id": "2", "title": "t", "text": "x"}]}]'
    alqac = '[{"id": "L", "articles": [{"id": 2, "text": "x"}]}]'
    assert columns(read_laws(raw(zalo)), "id", "title", "text") == [["1/qh|2"], ["t"], ["x"]]
    assert columns(read_laws(raw(alqac)), "id", "title", "text") == [["L|2"], [""], ["x"]]


def test_law_questions_have_a_row_per_article_and_one_without_gold(raw):
    text = (
        '{"items": [{"question_id": "a", "question": "q", "relevant_articles": ['
        '{"law_id": "1", "article_id": "2"}, {"law_id": "1", "article_id": "3"}]}, '
        '{"question_id": "b", "question": "r"}]}'
    )
    found = columns(read_law_questions(raw(text)), "question_id", "question", "document")
    assert found == [["a", "a", "b"], ["q", "q", "r"], ["1|2", "1|3", ""]]


def test_documents_survive_missing_and_nested_tags(raw):
    text = """ignored before
<DOC>
<DOCNO> FT911-1 </DOCNO>
<HEADLINE><P>Tea &amp; coffee</P></HEADLINE>
<TEXT>
<P>First <F P=106>part</F>, 3 < 4.</P>
</TEXT>
<TEXT>second</TEXT>
</DOC>
<doc>
<docno>FT911-2
<TEXT>never closed
<DOC>
<DOCNO>FT911-3</DOCNO>
<TITLE>Only a title</TITLE>
</DOC>
<DOC><DOCNO>FT911-4</DOCNO><DATE>1999</DATE> no text tag</DOC>
"""
    ids, titles, texts = columns(read_trec_documents(raw(text)), "id", "title", "text")
    assert ids == ["FT911-1", "FT911-2", "FT911-3", "FT911-4"]
    assert titles == ["Tea & coffee", "", "Only a title", ""]
    assert texts == ["First part , 3 < 4. second", "never closed", "", "1999 no text tag"]


def test_topics_are_read_with_and_without_closing_tags(raw):
    text = """<top>
<head> Tipster Topic Description
<num> Number: 051
<title> Topic: Airbus
Subsidies
<desc> Description:
How much?
<narr> Narrative:
A relevant document: any.
</top>
<top><num>401</num><title>foreign minorities</title><desc>What?</desc><narr></narr></top>
"""
    found = columns(
        read_trec_topics(raw(text)), "id", "title", "description", "narrative", "title_description"
    )
    assert found == [
        ["51", "401"],
        ["Airbus Subsidies", "foreign minorities"],
        ["How much?", "What?"],
        ["A relevant document: any.", ""],
        ["Airbus Subsidies How much?", "foreign minorities What?"],
    ]
    with pytest.raises(DataError, match="no <num> in topic 1"):
        read_trec_topics(raw("<top><title>x</top>"))


def test_a_text_is_cut_at_its_articles(raw):
    found = read_statute(
        raw("TÍTULO I\n\nArt. 1º São\natividades:\n\nI - a.\nArt. 7o-A. Outro.\nArt. 10. Fim.\n", "lei.txt")
    )
    assert columns(found, "id", "text") == [
        ["lei|1", "lei|7-A", "lei|10"],
        ["Art. 1º São atividades: I - a.", "Art. 7o-A. Outro.", "Art. 10. Fim."],
    ]


def test_the_last_wording_of_an_article_of_lexml_counts(raw):
    found = read_statute(
        raw(
            '<LexML xmlns="x"><Artigo id="art1"><p>former</p></Artigo><Artigo id="art1"><p>in</p> <p>force</p></Artigo>'
            '<Artigo id="art103-1"><p>a</p></Artigo><Artigo id="art9_cpt_alt1_art64-2"><p>b</p></Artigo></LexML>',
            "1988.xml",
        )
    )
    assert columns(found, "id", "text") == [["1988|1", "1988|103-1", "1988|64-2"], ["in force", "a", "b"]]


def test_an_exam_gives_statement_and_right_answer_and_leaves_annulled_questions_out(raw):
    text = (
        "Questão 1\n\nAREA ETHICS\n\nDeve o\nadvogado\n\nOPTIONS\n\nA) sim.\n\nB:CORRECT) não,\nnunca.\n\nC) .\n\n"
        "Questão 2\n\nAREA ETHICS\n\nOutra\n\nOPTIONS\n\nA) x\n\nB) y\n"
    )
    found = read_oab_exam(raw(text, "2010-01.txt"))
    assert columns(found, "id", "statement", "answer", "statement_and_answer") == [
        ["2010-01/1"],
        ["Deve o advogado"],
        ["não, nunca."],
        ["Deve o advogado não, nunca."],
    ]


def test_justifications_are_read_where_yaml_is_not_valid_and_cut_to_articles(raw):
    law = "urn:lex:br:federal:lei:1994-07-04;8906!"
    text = (
        f"- exam: 2016-20\n  question: 1\n  urn: {law}art_22_cpt_par4\n  comment:\n\n"
        f" - exam: 2016-20\n   question: 2\n   urn:\n     - {law}art7_cpt_inc19\n     - "
        "urn:lex:br:federal:constituicao:1988-10-05;1988![art14_par3,art14_par4]\n   comment:\n\n"
        "- exam: 2012-06\n  question: 17\n  urn:\n  comment: |\n    none\n\n"
        "- exam: 2010-01\n  question: 14\n  urn: urn:lex:br:stf:acordao;re:2007-11-06;1!ementa\n"
    )
    found = read_oab_justifications(raw(text, "ethics.yaml"))
    assert columns(found, "question", "document") == [
        ["2016-20/1", "2016-20/2", "2016-20/2", "2010-01/14"],
        ["lei-8906|22", "lei-8906|7", "1988|14", "urn:lex:br:stf:acordao;re:2007-11-06;1!ementa"],
    ]


def test_another_file_is_refused(raw):
    for read in (read_statute, read_oab_exam, read_oab_justifications):
        with pytest.raises(DataError, match=r"x.txt is empty or of another form: expected an? "):
            read(raw("something else\n", "x.txt"))


def test_texts_and_numbers_are_taken_and_maps_are_joined():
    assert literal_list("['a', 'b, \\'c\\'', 3]", where="f") == ["a", "b, 'c'", "3"]
    cell = "[{'law_id': '53/2010/qh12', 'article_id': '60'}, {'law_id': '82/2011/nđ-cp', 'article_id': '9'}]"
    assert literal_list(cell, where="f") == ["53/2010/qh12|60", "82/2011/nđ-cp|9"]
    assert literal_list(" [] ", where="f") == []


def test_what_is_no_list_of_texts_is_an_error_with_its_place():
    for cell in (
        "__import__('os').getcwd()",
        "(" * 5000,
        "-" * 50_000 + "1",
        "'no list'",
        "[None]",
        "['a'",
        "",
    ):
        with pytest.raises(DataError, match=r"^a.csv, row 3: "):
            literal_list(cell, where="a.csv, row 3")


NEEDED = {"spaced": {"columns": ["id", "text"]}, "lines": {"pattern": r"(?P<id>\S+) (?P<text>.*)"}}


def test_bytes_that_are_no_utf8_are_told_with_their_place_in_every_format(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(b"id,text\n1,caf\xe9\n")
    # Parquet and archives are no text, and XML names its own encoding.
    for name in set(get_args(Source.model_fields["format"].annotation)) - {
        "parquet",
        "assin-xml",
        "conll-archive",
    }:
        entry = {"format": name, "files": ["file.txt"], **NEEDED.get(name, {})}
        reader = Source.model_validate(entry)
        message = r"file.txt: byte 13 \(line 2\), 0xe9, cannot be decoded as utf-8"
        with pytest.raises(DataError, match=message):
            read_records(path, reader, ["id", "text"], joined="\n")


def read(tmp_path, format, content):
    path = tmp_path / "file"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    records = read_records(path, Source(format=format, files=("file",)))
    return dict(zip(records.header, records.columns, strict=True))


def test_turns_of_questions_and_of_answers_have_the_same_names(tmp_path):
    question = {"question_id": 7, "category": "civil", "statement": "A case.", "turns": ["Who?", "Why?"]}
    answer = {"question_id": 7, "choices": [{"turns": ["She.", "So."]}]}
    asked = read(tmp_path, "turns", json.dumps(question) + "\n")
    told = read(tmp_path, "turns", json.dumps(answer) + "\n")
    assert asked["id"] == told["id"] == ["7/1", "7/2"]
    assert asked["statement_and_turn"] == ["A case. Who?", "A case. Why?"]
    assert told["turn"] == ["She.", "So."]


def test_intents_end_where_another_part_begins(tmp_path):
    text = "## intent:greet\n- hello\n- good day\n\n## synonym:x\n- not this\n\n## intent:ask\n- how?\n"
    found = read(tmp_path, "rasa-intents", text)
    assert found == {"intent": ["greet", "greet", "ask"], "text": ["hello", "good day", "how?"]}


def test_the_first_text_of_a_template_is_its_answer(tmp_path):
    text = "templates:\n  utter_ask:\n  - text: So.\n  - text: Or so.\n  utter_image:\n  - image: x.png\n"
    assert read(tmp_path, "rasa-templates", text) == {"intent": ["ask"], "text": ["So."]}


def test_tokens_become_text_and_members_documents(tmp_path):
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("part/one.conll", "The O\nlaw B-LAW\n( O\n1990 O\n) O\n. O\n\nEnd O\n")
        archive.writestr("readme.txt", "nothing")
    found = read(tmp_path, "conll-archive", path.read_bytes())
    assert found == {"document": ["part/one"], "text": ["The law (1990). End"]}


NESTED = """
- law: one
  note:
  parts:
    - name: first
      rules:
        - {text: yes, number: 01}
        - {text: "a: b"}
    - name: second
      rules: [{text: 1.10, others: [x, y]}]
- law: two
  parts: []
"""


def nested(tmp_path, content, *wanted):
    (tmp_path / "file.yml").write_text(content, encoding="utf-8")
    reader = Source(format="yaml", files=("file.yml",))
    return read_records(tmp_path / "file.yml", reader, wanted, joined="\n")


def test_maps_of_lists_in_yaml_are_rows_that_repeat_what_stands_outside(tmp_path):
    found = nested(tmp_path, NESTED, "law", "note", "parts.name", "parts.rules.text", "parts.rules.number")
    assert columns(found, "law", "parts.name", "parts.rules.text", "parts.rules.number") == [
        ["one"] * 3,
        ["first", "first", "second"],
        ["yes", "a: b", "1.10"],  # as they are written
        ["01", "", ""],
    ]
    assert columns(nested(tmp_path, NESTED, "law"), "law") == [["one", "two"]]
    assert columns(nested(tmp_path, NESTED, "parts.rules.others"), "parts.rules.others")[0][2] == "x\ny"
    with pytest.raises(DataError, match=r"no column 'parts.text'. Columns: 'law', .*'parts.rules.text'"):
        nested(tmp_path, NESTED, "parts.text", "parts.rules.text").pick({"text": "parts.text"})
    two_lists = "a: [{b: 1}, {b: 2}]\nc: [{d: 1}, {d: 2}]\n"
    assert columns(nested(tmp_path, two_lists, "c.d"), "c.d") == [["1", "2"]]
    with pytest.raises(DataError, match="c is a list beside another list"):
        nested(tmp_path, two_lists, "a.b", "c.d")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a: &x [1, 1]\nb: &y [*x, *x]\ntext: [*y, *y]\n", "anchor 'x'.*line 1, column 4"),
        ("text: *nowhere\n", "anchor 'nowhere'"),
        ("text: !!python/object/apply:os.system [exit]\n", "tag 'tag:yaml.org,2002:python/object/apply"),
        ("- " * 2000, "nested too deep"),
        ('text: "\\ud800"\n', "half of a surrogate pair"),
        ('text: "\\UFFFFFFFF"\n', "Is it YAML?"),
        ("- text: a\n  text\n", "Is it YAML?"),
        ("text: {deep: {er: 1}}\n", "holds dict"),
        ("only a text", "the file holds the text 'only a text'"),
        ("[]", "is empty"),
    ],
)
def test_yaml_that_does_harm_or_has_no_rows_is_refused(tmp_path, content, said):
    with pytest.raises(DataError, match=rf"(?s)file.yml.*{said}"):
        nested(tmp_path, content, "text")
    with pytest.raises(DataError):
        read_records(tmp_path / "file.yml", Source(format="rasa-templates", files=("file.yml",)))


@pytest.mark.parametrize("name", ["c.jsonl", "c.parquet", "c.tsv"])
def test_documents_of_beir_are_the_same_in_batches(tmp_path, name):
    rows = {"_id": [f"d{row}" for row in range(3000)], "text": [f"text {row}" for row in range(3000)]}
    path, table = tmp_path / name, pd.DataFrame(rows)
    match path.suffix:
        case ".jsonl":
            table.to_json(path, orient="records", lines=True)
        case ".parquet":
            table.to_parquet(path)
        case _:
            table.to_csv(path, sep="\t", index=False)
    reader = Source(format="beir", files=(name,))
    whole = read_records(path, reader)
    parts = list(record_batches(path, reader, (), joined="\n", rows=1000))
    assert columns(whole, "id", "title", "text") == [rows["_id"], [""] * 3000, rows["text"]]
    assert whole.names == [name for part in parts for name in part.names] == [*map(str, range(1, 3001))]
    path.write_text('{"_id": "a", "title": "b"}\n')
    if path.suffix == ".jsonl":
        with pytest.raises(DataError, match="has the columns _id, title"):
            read_records(path, reader)
