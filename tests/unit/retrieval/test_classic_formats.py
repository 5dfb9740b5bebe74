"""Readers of files of test collections, on files written here."""

import pytest

from sentflow.errors import ConfigError, DataError
from sentflow.texts.formats.classic import read_slashed, read_smart, read_spaced
from sentflow.texts.formats.matched_lines import read_matched_lines, read_whole
from sentflow.texts.formats.nested import read_law_questions, read_laws, read_squad
from sentflow.texts.formats.raw_file import RawFile


@pytest.fixture
def raw(tmp_path):
    def write(text: str, encoding: str = "utf-8") -> RawFile:
        path = tmp_path / "raw.txt"
        path.write_bytes(text.encode(encoding))
        return RawFile(path, "csv", encoding)

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
    ids, titles, texts, order = columns(found, "id", "title", "text", "order")
    assert (ids, titles, texts, order) == (
        ["7", "9"],
        ["a title", ""],
        ["first line second", "other"],
        ["1", "2"],
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("text\n.I 1\n", "line 1: 'text' stands before the first record"),
        (".W\nx\n", "line 1: a field before the first record"),
        (".I 1\n.X\nx\n", "there is no field .X"),
        ("\n", "is empty: no record"),
    ],
)
def test_smart_says_what_is_wrong(raw, text, said):
    with pytest.raises(DataError, match=said):
        read_smart(raw(text))


def test_slashed_records(raw):
    ids, texts = columns(read_slashed(raw("\n1\nfirst\nline\n   /\n2\nsecond\n/\n")), "id", "text")
    assert (ids, texts) == (["1", "2"], ["first line", "second"])
    with pytest.raises(DataError, match="record 2: 'no number' is no number"):
        read_slashed(raw("1\na\n/\nno number\n/\n"))


def test_spaced_fields(raw):
    found = read_spaced(raw("1 0 13\t1\n\n2  0 14 -1 \n"), ["question", "zero", "document", "grade"])
    assert columns(found, "document", "grade") == [["13", "14"], ["1", "-1"]]
    with pytest.raises(
        DataError, match=r"expected 2 fields per line \(a b\), found another number in line 2 \(3\)"
    ):
        read_spaced(raw("1 2\n1 2 3\n"), ["a", "b"])


def test_a_whole_file_is_a_text_named_by_the_file(raw):
    assert columns(read_whole(raw("\n First line\n\nlast \n")), "id", "text") == [
        ["raw"],
        ["First line\n\nlast"],
    ]


def test_a_file_of_white_space_is_told(raw):
    with pytest.raises(DataError, match=r"raw\.txt is empty"):
        read_whole(raw(" \n"))


def test_matched_lines_have_the_named_groups(raw):
    found = read_matched_lines(
        raw("head\n\t1 - (12) a text\n\t2 - (3) b\n"), r"\t\d+ - \((?P<id>\d+)\) (?P<text>.*)", where="x"
    )
    assert columns(found, "id", "text") == [["12", "3"], ["a text", "b"]]
    assert found.names == ["2", "3"]
    for pattern, error, said in (
        ("(", ConfigError, "is no regular expression"),
        ("a", ConfigError, "names no group"),
        ("(?P<id>z)", DataError, "matches none of 4 lines"),
    ):
        with pytest.raises(error, match=said):
            read_matched_lines(raw("head\n\t1 - (12) a text\n\t2 - (3) b\n"), pattern, where="x")


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


def test_what_is_no_text_is_named_by_its_row(raw):
    asked = '{"id": "1", "question": "q"}, {"id": "2", "question": null}'
    with pytest.raises(DataError, match="question is no text in row 2"):
        read_squad(raw(f'{{"data": [{{"paragraphs": [{{"context": "c", "qas": [{asked}]}}]}}]}}'))
