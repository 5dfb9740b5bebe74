"""Files in the forms of the Zalo challenge and of its published system."""

import numpy as np
import pytest

from sentflow.errors import DataError
from sentflow.exports.submission import article_list, article_texts, repaired_law, submission, text_lines
from sentflow.texts.corpora import Corpus, Questions

LAWS = Corpus(
    "laws", "raw", "vi",
    ["45/2019/qh14|9", "45/2019/qh14|10", "1_2|3", "1|2_3"],
    ["Điều 9. Quyền", "", "Điều 3", "Điều 2"],
    ["1. Một\n2. Hai\u2028ba", "Không tên", "trước", "sau"],
)  # fmt: skip


def test_a_line_is_an_article_and_then_a_question():
    none = np.zeros(0, dtype=np.int64)
    asked = Questions("q", "laws", "raw", "vi", 1, ["1", "2"], ["Hỏi\ngì?", "Ai?"], ["", ""], none, [], none)
    lines = [*text_lines(LAWS, [asked])]
    assert lines[:2] == ["Điều 9. Quyền. 1. Một 2. Hai ba", "Không tên"]
    assert lines[4:] == ["Hỏi gì?", "Ai?"]


def test_articles_are_listed_in_order_and_the_first_of_two_with_one_key_stays():
    found = article_texts(LAWS)
    assert found["45/2019/qh14_9"] == {"title": "Điều 9. Quyền", "text": "1. Một\n2. Hai\u2028ba"}
    assert (found["1_2_3"]["text"], len(found)) == ("trước", 3)
    listed = article_list(LAWS)
    assert [one[:2] for one in listed[1:]] == [("45/2019/qh14", "10"), ("1_2", "3"), ("1", "2_3")]
    assert listed[0] == ("45/2019/qh14", "9", "Điều 9. Quyền 1. Một\n2. Hai\u2028ba")
    with pytest.raises(DataError, match="document 'd1' is no article of a law"):
        article_list(Corpus("c", "raw", "vi", ["d1"], [""], ["x"]))


def test_numbers_of_laws_are_repaired_as_published():
    for written, right in (
        ("100/2019/nd-cp", "100/2019/nđ-cp"),
        ("100/2019/nđ-", "100/2019/nđ-cp"),
        ("100/2019/nð-cp", "100/2019/nđ-cp"),
        ("100/2019/nđ-cp", "100/2019/nđ-cp"),
        ("09/2014/ttlt-btp-tandtc-vksndtc", "09/2014/ttlt-btp-tandtc-vksndtc-btc"),
        ("10/2014/ttlt-btp-tandtc-vksndtc", "10/2014/ttlt-btp-tandtc-vksndtc"),
        ("45/2019/qh14", "45/2019/qh14"),
    ):
        assert repaired_law(written) == right


def test_a_submission_has_every_question_and_no_article_twice():
    found = submission(["q1", "q2"], {"q1": ["1/nd-cp|2", "1/nđ-cp|2", "45/2019/qh14|9"]})
    articles = [{"law_id": "1/nđ-cp", "article_id": "2"}, {"law_id": "45/2019/qh14", "article_id": "9"}]
    assert found == [
        {"question_id": "q1", "relevant_articles": articles},
        {"question_id": "q2", "relevant_articles": []},
    ]
    with pytest.raises(DataError, match="document 'd1' is no article of a law"):
        submission(["q1"], {"q1": ["d1"]})
