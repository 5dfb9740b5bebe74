"""Statutes, bar exams and their justifications, on files written here."""

import pytest

from sentflow.errors import DataError
from sentflow.texts.formats.oab import read_oab_exam, read_oab_justifications, read_statute
from sentflow.texts.formats.raw_file import RawFile


@pytest.fixture
def raw(tmp_path):
    def write(name: str, text: str) -> RawFile:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return RawFile(tmp_path / name)

    return write


def columns(records, *names):
    found = records.pick({name: name for name in names})
    return [found[name] for name in names]


def test_a_text_is_cut_at_its_articles(raw):
    found = read_statute(
        raw("lei.txt", "TÍTULO I\n\nArt. 1º São\natividades:\n\nI - a.\nArt. 7o-A. Outro.\nArt. 10. Fim.\n")
    )
    assert columns(found, "id", "text") == [
        ["lei|1", "lei|7-A", "lei|10"],
        ["Art. 1º São atividades: I - a.", "Art. 7o-A. Outro.", "Art. 10. Fim."],
    ]


def test_the_last_wording_of_an_article_of_lexml_counts(raw):
    found = read_statute(
        raw(
            "1988.xml",
            '<LexML xmlns="x"><Artigo id="art1"><p>former</p></Artigo><Artigo id="art1"><p>in</p> <p>force</p></Artigo>'
            '<Artigo id="art103-1"><p>a</p></Artigo><Artigo id="art9_cpt_alt1_art64-2"><p>b</p></Artigo></LexML>',
        )
    )
    assert columns(found, "id", "text") == [["1988|1", "1988|103-1", "1988|64-2"], ["in force", "a", "b"]]


def test_an_exam_gives_statement_and_right_answer_and_leaves_annulled_questions_out(raw):
    text = (
        "Questão 1\n\nAREA ETHICS\n\nDeve o\nadvogado\n\nOPTIONS\n\nA) sim.\n\nB:CORRECT) não,\nnunca.\n\nC) .\n\n"
        "Questão 2\n\nAREA ETHICS\n\nOutra\n\nOPTIONS\n\nA) x\n\nB) y\n"
    )
    found = read_oab_exam(raw("2010-01.txt", text))
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
    found = read_oab_justifications(raw("ethics.yaml", text))
    assert columns(found, "question", "document") == [
        ["2016-20/1", "2016-20/2", "2016-20/2", "2010-01/14"],
        ["lei-8906|22", "lei-8906|7", "1988|14", "urn:lex:br:stf:acordao;re:2007-11-06;1!ementa"],
    ]


@pytest.mark.parametrize("read", [read_statute, read_oab_exam, read_oab_justifications])
def test_another_file_is_refused(read, raw):
    with pytest.raises(DataError, match=r"x.txt: it holds not a"):
        read(raw("x.txt", "something else\n"))
