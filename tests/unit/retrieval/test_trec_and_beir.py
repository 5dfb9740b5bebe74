"""Readers of TREC's and BEIR's files, on files written here."""

import pytest

from sentflow.errors import DataError
from sentflow.texts.formats.beir import read_beir_judgements, read_beir_texts
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.trec import read_trec_documents, read_trec_topics


@pytest.fixture
def raw(tmp_path):
    def write(text: str, name: str = "raw.txt", encoding: str = "utf-8") -> RawFile:
        (tmp_path / name).write_bytes(text.encode(encoding))
        return RawFile(tmp_path / name, "jsonl", encoding)

    return write


def columns(records, *names):
    found = records.pick({name: name for name in names})
    return [found[name] for name in names]


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


def test_documents_in_latin_1_are_read_in_their_encoding_and_refused_in_another(raw):
    text = "<DOC><DOCNO>1</DOCNO><TEXT>café</TEXT></DOC>"
    assert columns(read_trec_documents(raw(text, encoding="latin-1")), "text") == [["café"]]
    path = raw(text, encoding="latin-1").path
    with pytest.raises(DataError, match="cannot be decoded as utf-8"):
        read_trec_documents(RawFile(path))


def test_documents_without_a_name_are_counted(raw):
    with pytest.raises(DataError, match="no <DOCNO> in document 2"):
        read_trec_documents(raw("<DOC><DOCNO>1</DOCNO></DOC><DOC><TEXT>x</TEXT></DOC>"))
    with pytest.raises(DataError, match="no document"):
        read_trec_documents(raw("nothing"))


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


def test_beir_takes_either_name_of_the_identifier_and_lacks_titles(raw):
    found = read_beir_texts(raw('{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n', "corpus.jsonl"))
    assert columns(found, "id", "title", "text") == [["a", "b"], ["", ""], ["x", "y"]]
    with pytest.raises(DataError, match="corpus.jsonl has the columns key, text; expected"):
        read_beir_texts(raw('{"key": "a", "text": "x"}\n', "corpus.jsonl"))


def test_judgements_of_beir_may_be_json_lines(raw):
    line = '{"query-id": "q", "corpus-id": "d", "score": 2.0}\n'
    found = read_beir_judgements(raw(line, "test.jsonl"))
    assert columns(found, "query-id", "corpus-id", "score") == [["q"], ["d"], ["2"]]
