"""What derived rows are made of: exchanged pairs, altered texts, and readers that say what is wrong with them."""

from collections import Counter

import numpy as np

from sentflow.config.tasks import Reader
from sentflow.texts.derived import Derivation, partners


def read(tmp_path, lines, **settings):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,y,t", *lines]) + "\n", encoding="utf-8")
    source = {"format": "csv", "files": ["rows.csv"], "text_a": "a", **settings.pop("columns", {})}
    reader = Reader.model_validate({"format": "derived", "sources": [source], **settings})
    return Derivation(reader, {"rows.csv": path}, "tasks.X.reader").rows("X")


def test_partners_are_mutual_of_one_topic_and_have_other_texts():
    topics = ["x"] * 6 + ["y"] * 6
    texts = ["same"] * 3 + [f"text {number}" for number in range(9)]
    found = partners(topics, texts, np.random.default_rng(5))
    assert all(found[other] == place for place, other in enumerate(found) if other is not None)
    assert all(topics[place] == topics[other] for place, other in enumerate(found))
    assert all(texts[place] != texts[other] for place, other in enumerate(found))


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


def test_rows_are_replaced_in_filtered_and_told_once(tmp_path):
    lines = ["Art. 1 the first law,,1,", "Art. 2 The first law!,,1,", "Art. 3 law,,1,"]
    chosen = {"replace": [{"pattern": r"^Art\. \d"}], "least_words": 2, "distinct": True}
    assert read(tmp_path, lines, columns={"label": "y"}, **chosen).text_a == ["the first law"]


def test_classes_are_balanced_within_steps_of_length_of_both_texts(tmp_path):
    long, short = "long " * 4, "short"
    kinds = (
        [(long, short, 1)] * 4 + [(short, short, 0)] * 4 + [(short, short, 1)] * 2 + [(short, long, 0)] * 3
    )
    lines = [f"{a} {number},{b},{label}," for number, (a, b, label) in enumerate(kinds)]
    rows = read(tmp_path, lines, columns={"text_b": "b", "label": "y"}, balanced=True, length_step=10)
    assert Counter(rows.labels) == {"0": 2, "1": 2}
    assert {len(text) // 10 for text in [*rows.text_a, *rows.text_b]} == {0}


def test_cells_that_do_not_match_as_a_whole_leave_the_row_out(tmp_path):
    lines = ["one,,1,law 1", "two,,1,law 12", "three,,1,Law 3"]
    rows = read(tmp_path, lines, columns={"label": "y", "topic": "t"}, matching={"topic": r"law \d"})
    assert rows.text_a == ["one", "three"]


def test_matched_documents_have_as_many_rows_of_each_class_and_of_each_answer(tmp_path):
    lines = [f"question {number},answer {number // 3},,d{number // 3}" for number in range(12)]
    columns = {"text_b": "b", "group": "t"}
    rows = read(tmp_path, lines, columns=columns, makes="cross")
    counts = Counter(zip(rows.text_b, rows.labels, strict=True))
    assert counts == {(f"answer {place}", label): 2 for place in range(4) for label in "01"}
    for text_a, text_b, label in zip(rows.text_a, rows.text_b, rows.labels, strict=True):
        assert (int(text_a.split()[-1]) // 3 == int(text_b.split()[-1])) == (label == "1")
    assert set(Counter(rows.groups).values()) == {8}


def test_second_texts_are_joined_by_key_and_rows_without_one_are_left_out(tmp_path):
    joined = [{"format": "csv", "files": ["rows.csv"], "key": "t", "text_b": "b"}]
    lines = ["one,first answer,1,k1", "two,second answer,0,k2", "three,,0,k3"]
    rows = read(tmp_path, lines, columns={"key": "t", "label": "y"}, joined=joined)
    assert (rows.text_a, rows.text_b) == (["one", "two"], ["first answer", "second answer"])


def test_the_only_name_in_a_text_is_hidden_and_becomes_the_second_text(tmp_path):
    names = [{"format": "csv", "files": ["rows.csv"], "text_a": "t"}]
    lines = ["alters the Code,,1,code", "alters the Tax Code,,1,Tax Code", "the Code and the Act,,1,Act"]
    rows = read(tmp_path, lines, columns={"label": "y"}, names=names)
    assert rows.text_a == ["alters the [NOME]", "alters the [NOME]"]
    assert rows.text_b == ["code", "Tax Code"]


def test_a_text_is_split_where_it_says_and_others_are_left_out(tmp_path):
    rows = read(
        tmp_path, ["head decrees: body,,1,", "no clause,,1,"], columns={"label": "y"}, split="decrees:"
    )
    assert (rows.text_a, rows.text_b) == (["head"], ["body"])
