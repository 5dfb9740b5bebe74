"""What derived rows are made of: exchanged pairs, altered texts, and readers that say what is wrong with them."""

from collections import Counter

import numpy as np
import pytest

from sentflow.errors import ConfigError
from sentflow.texts.derived.alter import OPPOSITES, altered
from sentflow.texts.derived.exchange import partners
from sentflow.texts.derived.reader import DerivedReader


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def read(tmp_path, lines, **settings):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,y,t", *lines]) + "\n", encoding="utf-8")
    source = {"format": "csv", "files": ["rows.csv"], "text_a": "a", **settings.pop("columns", {})}
    reader = DerivedReader.from_settings(
        {"format": "derived", "sources": [source], **settings}, where="tasks.X.reader"
    )
    return reader.read({"rows.csv": path}, task="X")


def test_partners_are_mutual_of_one_topic_and_have_other_texts():
    topics = ["x"] * 6 + ["y"] * 6
    texts = ["same"] * 3 + [f"text {number}" for number in range(9)]
    found = partners(topics, texts, rng())
    assert all(found[other] == place for place, other in enumerate(found) if other is not None)
    assert all(topics[place] == topics[other] for place, other in enumerate(found))
    assert all(texts[place] != texts[other] for place, other in enumerate(found))


def test_equal_texts_but_for_case_and_punctuation_have_no_partner():
    assert partners(["", ""], ["A lei.", "a LEI"], rng()) == [None, None]


def test_exchanged_rows_use_each_text_once_and_are_balanced(tmp_path):
    lines = [f"question {number},thesis {number},,t{number % 2}" for number in range(20)]
    columns = {"text_b": "b", "topic": "t"}
    rows = read(tmp_path, lines, columns=columns, makes="exchange")
    assert len(set(rows.text_a)) == len(set(rows.text_b)) == 20
    assert abs(2 * Counter(rows.labels)["1"] - 20) <= 2
    for text_a, text_b, label in zip(rows.text_a, rows.text_b, rows.labels, strict=True):
        assert (text_a.split()[-1] == text_b.split()[-1]) == (label == "1")
    assert set(Counter(rows.groups).values()) == {2}
    assert rows == read(tmp_path, lines, columns=columns, makes="exchange")


def test_one_word_is_altered_and_can_be_altered_back():
    before = "O juiz poderá ouvir a parte"
    after = altered(before, rng())
    assert after == "O juiz deverá ouvir a parte"
    assert altered(after, rng()) == before


def test_a_text_without_a_word_that_has_an_opposite_is_not_altered():
    assert altered("Artigo do livro", rng()) is None


def test_no_word_has_two_opposites():
    words = [word for pair in OPPOSITES for word in pair]
    assert len(words) == len(set(words))


def test_rows_are_replaced_in_filtered_and_told_once(tmp_path):
    lines = ["Art. 1 the first law,,,", "Art. 2 The first law!,,,", "Art. 3 law,,,"]
    lines = [line.replace(",,,", ",,1,") for line in lines]
    rows = read(
        tmp_path,
        lines,
        columns={"label": "y"},
        replace=[{"pattern": r"^Art\. \d"}],
        least_words=2,
        distinct=True,
    )
    assert rows.text_a == ["the first law"]


def test_topics_are_balanced_and_labels_from_a_threshold(tmp_path):
    lines = [f"text {number},,{number},t" for number in range(5)]
    rows = read(tmp_path, lines, columns={"label": "y", "topic": "t"}, threshold=3, balanced=True)
    assert Counter(rows.labels) == {"0": 2, "1": 2}


@pytest.mark.parametrize(
    "wrong",
    [{}, {"makes": "nothing"}, {"unknown": 1}, {"replace": [{"pattern": "("}]}, {"topic_pattern": "["}],
)
def test_what_does_not_exist_is_refused_with_its_place(tmp_path, wrong):
    with pytest.raises(ConfigError, match=r"tasks\.X\.reader"):
        read(tmp_path, ["a,b,1,t"], **wrong)
