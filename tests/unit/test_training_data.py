"""Training data from raw files to a table: forms, what is left out and counted, and what is refused."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from training_files import prepared, prepared_of, written

from sentflow.errors import ConfigError, DataError
from sentflow.files.io import read_json
from sentflow.training.data import prepare
from sentflow.training.data.control import shuffled
from sentflow.training.data.reader import Rows
from sentflow.training.data.settings import TrainingDataSettings
from sentflow.training.data.table import (
    TrainingData,
    check_rows,
    read_training_data,
    write_parts,
    write_training_data,
)

LINES = {"format": "lines"}
NLI = (
    "premise\thypothesis\tgold\n"
    "Um cão corre.\tUm animal corre.\tentailment\n"
    "Um cão corre.\tUm gato dorme.\tcontradiction\n"
    "Um cão corre.\tO cão é preto.\tneutral\n"
    "Um cão corre.\tUm bicho se move.\tentailment\n"
    "Chove.\tCai água.\tentailment\n"
    "Chove.\tN/A\tcontradiction\n"
    "Ela lê.\tEla escreve.\tcontradiction\n"
    "Um cão corre.\tNada se move.\tcontradiction\n"
    "Um cão corre.\tUma criatura corre.\tentailment\n"
)
NLI_READER = {
    "format": "tsv",
    "text": "premise",
    "other": "hypothesis",
    "label": "gold",
    "labels": ["contradiction", "entailment", "neutral"],
    "missing": ["N/A"],
}

TEXTS_OF_NLI = {key: value for key, value in NLI_READER.items() if not key.startswith("label")}


def test_each_line_is_a_text_as_it_is_written(tmp_path):
    text = 'A "quoted" line\r\n  with spaces\tand a tab \u2028 of 2 lines for Python\nlast, without an end'
    data, facts = prepared(tmp_path, {"my.txt": text}, LINES)
    assert data.columns["text"] == [
        'A "quoted" line',
        "  with spaces\tand a tab \u2028 of 2 lines for Python",
        "last, without an end",
    ]
    assert (data.form, data.labels, facts["read"]) == ("texts", None, 3)


def test_empty_short_and_repeated_rows_are_left_out_and_counted(tmp_path):
    text = "one two three\n\n \t\nab\nword\none two three\nfour five\nsix seven\n"
    data, facts = prepared(tmp_path, {"my.txt": text}, LINES, least_characters=3, drop_repeated=True, limit=3)
    assert data.columns["text"] == ["one two three", "word", "four five"]
    assert facts["dropped"] == {"empty": 2, "short": 1, "repeated": 1, "beyond_limit": 1}
    assert facts["read"] == facts["rows"] + sum(facts["dropped"].values()) == 8
    assert facts["one_word"] == 1


def test_rows_are_repeated_only_where_all_that_they_have_is_equal(tmp_path):
    text = "text,other,label\na b,c d,0\na b,c d,1\na b,c d,0\nc d,a b,0\n"
    reader = {"format": "csv", "other": "other", "label": "label"}
    data, _ = prepared(tmp_path, {"my.csv": text}, reader, form="labelled", drop_repeated=True)
    assert data.rows() == [
        {"text": "a b", "other": "c d", "label": 0},
        {"text": "a b", "other": "c d", "label": 1},
        {"text": "c d", "other": "a b", "label": 0},
    ]
    assert data.classes == ["0", "1"]


ROWS = [{"text": f"linha {n % 7}\u2028", "other": "" if n % 5 == 0 else f"«{n}»"} for n in range(23)]


def _csv(delimiter: str) -> str:
    return "".join(
        delimiter.join(cells) + "\n" for cells in [("text", "other"), *(row.values() for row in ROWS)]
    )


def _parquet() -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), stream, row_group_size=4)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("format_", "content"),
    [
        ("csv", _csv(",")),
        ("tsv", _csv("\t")),
        ("jsonl", "\n\n".join(map(json.dumps, ROWS))),
        ("json", json.dumps(ROWS)),
        ("parquet", _parquet()),
    ],
)
def test_rows_read_a_few_at_a_time_are_those_of_the_whole(tmp_path, monkeypatch, format_, content):
    def found() -> tuple[list[dict[str, str]], dict[str, object]]:
        files = {"one": content, "two": content}
        data, facts = prepared(
            tmp_path, files, {"format": format_, "other": "other"}, form="pairs", drop_repeated=True, limit=15
        )
        return data.rows(), facts

    whole, facts = found()
    monkeypatch.setattr(prepare, "ROWS", 3)
    assert found() == (whole, facts)
    assert (len(whole), facts["read"]) == (15, 2 * len(ROWS))
    assert facts["dropped"] == {"empty": 10, "short": 0, "repeated": 18, "beyond_limit": 3}


def test_parts_make_the_table_of_the_whole(tmp_path):
    files = {"my.csv": _csv(",")}
    data, facts = prepared(tmp_path, files, {"format": "csv", "other": "other"}, form="pairs")
    write_training_data(tmp_path / "whole.parquet", data, facts)
    parts = [
        TrainingData("mine", "pairs", {key: cells[at : at + 5] for key, cells in data.columns.items()})
        for at in range(0, len(data), 5)
    ]
    write_parts(tmp_path / "parts.parquet", parts, lambda: facts)
    assert (
        read_training_data(tmp_path / "parts.parquet").rows()
        == read_training_data(tmp_path / "whole.parquet").rows()
    )


def test_a_wrong_number_of_rows_leaves_no_table(tmp_path):
    def wrong() -> dict[str, object]:
        raise DataError("2 rows, expected 3")

    with pytest.raises(DataError):
        write_parts(tmp_path / "mine.parquet", [TrainingData("mine", "texts", {"text": ["a", "b"]})], wrong)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            [{"text": "a"}, {"text": "b"}, {"text": "c", "other": "d"}],
            None,
        ),  # a key that later rows alone have
        ([{"text": "a"}, {"text": "b"}, {"text": "c"}], "no column 'other'. Columns: 'text'"),
    ],
)
def test_a_key_that_the_first_rows_lack_is_missing_only_where_all_lack_it(tmp_path, monkeypatch, rows, told):
    monkeypatch.setattr(prepare, "ROWS", 1)
    content, reader = "\n".join(map(json.dumps, rows)), {"format": "jsonl", "other": "other"}
    if told is None:
        data, _ = prepared(tmp_path, {"my.jsonl": content}, reader, form="pairs")
        assert data.rows() == [rows[-1]]
    else:
        with pytest.raises(DataError, match=told):
            prepared(tmp_path, {"my.jsonl": content}, reader, form="pairs")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"text,other\n" + b"a,b\n" * 9_000 + b"c,\xff\n", "byte 36013 .line 9002., 0xff, cannot be decoded"),
        (b"text,other\na,b\nc,d\ne,f,g\n", "the header has 2 fields, but line 4 has 3"),
        (b'text,other\na,b\nc,d\n"e', "line 4: unexpected end of data"),
    ],
)
def test_damage_after_many_rows_is_named_by_its_place(tmp_path, monkeypatch, content, told):
    monkeypatch.setattr(prepare, "ROWS", 1)
    with pytest.raises(DataError, match=told):
        prepared(tmp_path, {"my.csv": content}, {"format": "csv", "other": "other"}, form="pairs")


def test_files_are_read_one_after_the_other_and_columns_may_have_numbers(tmp_path):
    files = {"a.csv": '"x; y";z;no\n', "b.csv": "v;w;no\n"}
    reader = {"format": "csv", "delimiter": ";", "header": False, "text": 2, "other": 1}
    data, _ = prepared(tmp_path, files, reader, form="pairs")
    assert data.columns == {"text": ["z", "w"], "other": ["x; y", "v"]}


def test_every_text_column_makes_rows_where_the_form_is_texts(tmp_path):
    data, facts = prepared(tmp_path, {"nli.tsv": NLI}, TEXTS_OF_NLI, form="texts")
    assert data.columns["text"][:4] == [
        "Um cão corre.",
        "Um animal corre.",
        "Um cão corre.",
        "Um gato dorme.",
    ]
    assert facts["dropped"]["empty"] == 1  # the row with N/A, its premise included
    assert len(data) == 2 * 8


def test_a_list_of_texts_makes_a_row_for_each(tmp_path):
    text = '[{"q": "quem?", "found": ["Ana", "Bia"]}, {"q": "onde?", "found": ["em casa"]}]'
    reader = {"format": "json", "text": "q", "other": "found", "lists": True}
    data, _ = prepared(tmp_path, {"my.json": text}, reader, form="pairs")
    assert data.columns == {"text": ["quem?", "quem?", "onde?"], "other": ["Ana", "Bia", "em casa"]}


def test_spans_are_the_texts_of_a_list_or_the_lines_of_a_text_and_documents_of_one_are_left_out(tmp_path):
    found = ([" Art. 1º", "primeira\nlinha", ""], ["só"], "um\n\n dois \r\ntrês")
    content = "\n".join(json.dumps({"spans": spans}) for spans in found)
    reader = {"format": "jsonl", "text": "spans"}
    data, facts = prepared(tmp_path, {"my.jsonl": content}, reader, form="spans")
    assert data.columns["text"] == ["Art. 1º\nprimeira linha", "um\ndois\ntrês"]
    assert facts["dropped"]["one_span"] == 1


def test_an_entailed_hypothesis_has_a_contradicted_one_of_its_premise_as_negative(tmp_path):
    data, facts = prepared(tmp_path, {"nli.tsv": NLI}, NLI_READER, form="triplets", nli="by-premise")
    assert [tuple(row.values()) for row in data.rows()] == [
        ("Um cão corre.", "Um animal corre.", "Um gato dorme."),
        ("Um cão corre.", "Um bicho se move.", "Nada se move."),
        ("Um cão corre.", "Uma criatura corre.", "Um gato dorme."),  # two contradictions for three
    ]
    assert facts["dropped"] == {"empty": 1, "without_negative": 1, "short": 0}
    assert data.labels is None


def test_entailed_pairs_need_no_contradiction(tmp_path):
    data, _ = prepared(tmp_path, {"nli.tsv": NLI}, NLI_READER, form="pairs", nli="by-premise")
    assert data.columns["text"] == ["Um cão corre.", "Um cão corre.", "Chove.", "Um cão corre."]
    assert set(data.columns) == {"text", "other"}


def test_the_defect_of_the_study_takes_the_word_of_the_label_as_negative(tmp_path):
    data, _ = prepared(tmp_path, {"nli.tsv": NLI}, NLI_READER, form="triplets", nli="study-label-word")
    assert len(data) == 8  # every row but that with N/A
    assert data.rows()[1] == {
        "text": "Um cão corre.",
        "other": "Um gato dorme.",  # a contradiction, as positive
        "negative": "contradiction",
    }


def test_labels_become_classes_by_their_map(tmp_path):
    labels = {"yes": 1, "y": 1, "no": 0}
    text = "text\tother\tlabel\na\tb\ty\nc\td\tno\ne\tf\tyes\n"
    reader = {"format": "tsv", "other": "other", "label": "label", "labels": labels}
    data, _ = prepared(tmp_path, {"my.tsv": text}, reader, form="labelled")
    assert data.labels is not None
    assert data.labels.tolist() == [1, 0, 1]
    assert data.classes == ["no", "yes"]


def test_labels_outside_the_classes_are_named_with_their_rows(tmp_path):
    text = NLI + "Neva.\tFaz frio.\tperhaps\nNeva.\tFaz sol.\t-\n"
    with pytest.raises(
        DataError, match=r"rows nli.tsv, row 10 \('perhaps'\), nli.tsv, row 11 \('-'\)"
    ) as told:
        prepared(tmp_path, {"nli.tsv": text}, NLI_READER, form="labelled")
    assert "the label is not one of 'contradiction', 'entailment', 'neutral'" in str(told.value)


@pytest.mark.parametrize("label", ["-1", "1.0", "", "²", "9999"])
def test_a_label_without_a_map_must_be_a_class_or_missing(tmp_path, label):
    text = f"text,other,label\na,b,0\nc,d,{label}\n"
    reader = {"format": "csv", "other": "other", "label": "label"}
    if not label:
        assert len(prepared(tmp_path, {"my.csv": text}, reader, form="labelled")[0]) == 1
        return
    with pytest.raises(DataError, match="row my.csv, row 2"):
        prepared(tmp_path, {"my.csv": text}, reader, form="labelled")


@pytest.mark.parametrize(
    ("content", "reader", "told"),
    [
        (b"a\xff b\n", LINES, "my.txt"),
        (b"", LINES, "my.txt is empty"),
        (b"\n \n\n", LINES, "none of 3 rows is left. Left out: 3 empty"),
        (b"text,b\na,c\n", {"format": "csv", "other": "x"}, "other: no column 'x'. Columns: 'text', 'b'"),
        (b"text;b\na;c\n", {"format": "csv"}, "write delimiter: ';'"),
        (b'{"body": "a"}\n', {"format": "jsonl"}, "no column 'text'"),
        (b"a\n", {"format": "arff"}, "'arff' is not a format. Write one of: lines, csv"),
    ],
)
def test_files_of_another_form_are_refused_in_words(tmp_path, content, reader, told):
    with pytest.raises((ConfigError, DataError)) as caught:
        prepared(tmp_path, {"my.txt": content}, reader)
    assert told in str(caught.value)


def test_another_number_of_rows_than_expected_is_refused(tmp_path):
    with pytest.raises(DataError, match="2 rows, expected 3"):
        prepared(tmp_path, {"my.txt": "a b\nc d\n"}, LINES, rows=3)


def test_sentences_of_pair_sets_come_from_the_folder_of_their_dataset(tmp_path):
    """Files of several datasets may have the same name."""
    raw = [
        *written(tmp_path / "sts12", {"in.x.txt": "a\tb\nc\td\n", "gs.x.txt": "5\n\n"}),
        *written(tmp_path / "sts13", {"in.x.txt": "e\tf\n", "gs.x.txt": "1.5\n"}),
    ]
    reader = {
        "format": "semeval",
        "subsets": ["x"],
        "input": "in.{subset}.txt",
        "gold": "gs.{subset}.txt",
    }
    sources = [{"where": "", "dataset": name, "pairs": reader} for name in ("sts12", "sts13")]

    def texts(form: str, **entry: bool) -> list[dict[str, str]]:
        settings = {"form": form, "sources": sources, **entry}
        return prepared_of("both", raw, TrainingDataSettings.from_settings(settings, data="both"))[0].rows()

    assert [row["text"] for row in texts("texts")] == list("abef")
    assert [row["text"] for row in texts("texts", unscored=True)] == list("abcdef")
    assert texts("pairs") == [{"text": "a", "other": "b"}, {"text": "e", "other": "f"}]


def test_shuffled_positives_are_those_of_other_rows_and_the_same_for_a_seed(tmp_path):
    text = "text,other,negative\n" + "".join(f"a{n},b{n},c{n}\n" for n in range(20))
    reader = {"format": "csv", "other": "other", "negative": "negative"}

    def others(seed: int) -> list[str]:
        data, facts = prepared(tmp_path, {"my.csv": text}, reader, form="triplets", shuffled_positives=seed)
        assert facts["kept_positives"] == 0
        assert data.columns["negative"] == [f"c{n}" for n in range(20)]
        return data.columns["other"]

    first = others(1)
    assert first == others(1) != others(2)
    assert sorted(first) == sorted(f"b{n}" for n in range(20))
    assert not any(other == f"b{n}" for n, other in enumerate(first))


def test_positives_that_stay_by_chance_of_equal_texts_are_counted():
    rows = Rows(["1", "2"], {"text": ["a", "b"], "other": ["same", "same"]})
    assert shuffled(rows, 1)[1] == 2
    assert shuffled(rows.taken([0]), 1)[1] == 1  # a single row has no other


def test_a_table_is_read_as_it_was_written_and_its_digest_has_the_facts(tmp_path):
    data, facts = prepared(tmp_path, {"nli.tsv": NLI}, NLI_READER, form="labelled")
    path = tmp_path / "mine.parquet"
    write_training_data(path, data, facts)
    found = read_training_data(path)
    assert found.rows() == data.rows()
    assert (found.name, found.form, found.classes) == ("mine", "labelled", data.classes)
    assert read_json(path.with_suffix(".json")).items() >= facts.items()


def test_a_table_that_is_not_that_of_its_digest_is_refused(tmp_path):
    data, facts = prepared(tmp_path, {"my.txt": "a b\n"}, LINES)
    path = tmp_path / "mine.parquet"
    write_training_data(path, data, facts)
    digest = path.with_suffix(".json").read_text("utf-8")
    write_training_data(path, prepared(tmp_path, {"my.txt": "c d\n"}, LINES)[0], facts)
    path.with_suffix(".json").write_text(digest, "utf-8")
    with pytest.raises(DataError, match="its SHA-256 differs"):
        read_training_data(path)


def test_data_shorter_than_a_batch_are_refused_with_what_to_write():
    data = TrainingData("mine", "texts", {"text": ["a", "b", "c"]})
    check_rows(data, 3)
    with pytest.raises(DataError, match="3 rows are fewer than one batch of 4.*training.batch_size: 3"):
        check_rows(data, 4)


SCORED = {"format": "tsv", "other": "relevant", "negative": "negative", "score": "s", "negative_score": "t"}


def test_scores_of_a_teacher_are_numbers(tmp_path):
    text = "text\trelevant\tnegative\ts\tt\na b\tc\td\t7.25\t-1e-3\ne f\tg\th\t\t2\n"
    data, facts = prepared(tmp_path, {"my.tsv": text}, SCORED, form="scored")
    assert data.rows() == [
        {"text": "a b", "other": "c", "negative": "d", "score": 7.25, "negative_score": -1e-3}
    ]
    assert facts["dropped"]["empty"] == 1
    path = tmp_path / "table.parquet"
    write_training_data(path, data, facts)
    assert read_training_data(path).rows() == data.rows()


@pytest.mark.parametrize("cell", ["nan", "inf", "high"])
def test_a_score_that_is_no_finite_number_is_named(tmp_path, cell):
    text = f"text\trelevant\tnegative\ts\tt\na b\tc\td\t1\t{cell}\n"
    with pytest.raises(DataError, match=rf"negative score is no finite number in .*row 1 \('{cell}'\)"):
        prepared(tmp_path, {"my.tsv": text}, SCORED, form="scored")
